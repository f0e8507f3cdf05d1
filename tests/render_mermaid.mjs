// Parse flowcharts, given as a JSON list in a file, with mermaid itself; prints how many it took.
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import path from "node:path";

const modules = process.env.NODE_PATH;
const { JSDOM } = createRequire(path.join(modules, "x.cjs"))("jsdom");
const { window } = new JSDOM("<!doctype html><body></body>");
globalThis.window = window;
globalThis.document = window.document;
const entry = path.join(modules, "mermaid", "dist", "mermaid.core.mjs");
const { default: mermaid } = await import(pathToFileURL(entry).href);
const charts = JSON.parse(readFileSync(process.argv[2], "utf-8"));
let failed = 0;
for (const chart of charts) {
  try {
    await mermaid.parse(chart);
  } catch (error) {
    failed += 1;
    console.log(error.message);
  }
}
console.log(`${charts.length - failed} charts`);
process.exitCode = failed ? 1 : 0;
