// Open a page in a headless Chromium and use it as a reader would; print what was found as JSON.
//   node render_chromium.cjs CHROMIUM PAGE CELL [briefly]
// CELL is the cell that is chosen first, as data-c has it. Briefly, every cell is chosen, and its digits are left as
// they are; and axe looks at the page as it is wide and light, and at a dark phone.
const fs = require("fs");
const puppeteer = require("puppeteer-core");
const axe = require.resolve("axe-core");

const [, , executablePath, page, cell, briefly] = process.argv;
const WIDE = { width: 1280, height: 900 };
const PHONE = { width: 360, height: 740, isMobile: true, hasTouch: true };

(async () => {
  const browser = await puppeteer.launch({ executablePath, headless: true, args: ["--no-sandbox", "--disable-gpu"] });
  const found = { errors: [], requests: [], violations: [], scheme: {}, overflow: {}, unlabelled: [] };

  async function opened(viewport, scheme, { script = true } = {}) {
    const tab = await browser.newPage();
    tab.on("console", (message) => { if (["error", "warning"].includes(message.type())) found.errors.push(message.text()); });
    tab.on("pageerror", (error) => found.errors.push(error.message));
    tab.on("request", (request) => { if (request.url() !== `file://${page}`) found.requests.push(request.url()); });
    await tab.setJavaScriptEnabled(script);
    await tab.setViewport(viewport);
    await tab.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
    await tab.goto(`file://${page}`);
    return tab;
  }
  const places = (tab) => tab.evaluate(() =>
    [...document.querySelectorAll("h1, main h2, main p, main .step, main td")].map((e) => {
      const { x, y, width, height } = e.getBoundingClientRect();
      return [x + scrollX, y + scrollY, width, height].map(Math.round).join(" ");
    }).join("\n"));
  // Boxes that scroll by themselves do not count.
  const sideways = (tab) => tab.evaluate(() => document.documentElement.scrollWidth - innerWidth);

  // Wide, light: by mouse.
  const tab = await opened(WIDE, "light");
  const before = await places(tab);
  const $ = (id) => `td[data-c="${id}"]`;
  await tab.evaluate((selector) => document.querySelector(selector).scrollIntoView({ block: "center" }), $(cell));
  await tab.click($(cell));
  const after = await places(tab);
  found.moved = before !== after;
  const panel = () => tab.evaluate(() => ({
    open: document.getElementById("panel").classList.contains("open"),
    name: document.querySelector("#entry-name small")?.textContent,
    decimal: document.getElementById("entry-decimal").dataset.value,
    sign: document.getElementById("entry-decimal").textContent[0],
    rows: Object.fromEntries([...document.querySelectorAll("#entry [data-row]")].filter((e) => !e.hidden).map((e) => [e.dataset.row, e.querySelector("dd").innerText])),
    from: [...document.querySelectorAll("td.from")].map((e) => e.dataset.c),
    to: [...document.querySelectorAll("td.to")].map((e) => e.dataset.c),
    chosen: document.querySelector("td.chosen")?.dataset.c,
    focus: document.activeElement.dataset.c || document.activeElement.id,
    words: Object.fromEntries([...document.querySelectorAll("#entry [data-row]")].filter((e) => !e.hidden).map((e) => [e.dataset.row, e.querySelector("math")?.getAttribute("aria-label")])),
    map: [...document.querySelectorAll("#map .here")].map((e) => e.getAttribute("href")),
  }));
  found.clicked = await panel();

  // The digits, from none to all.
  found.decimals = await tab.evaluate(() => {
    const slider = document.getElementById("digits"), out = [];
    for (let k = 0; k <= 30; k++) {
      slider.value = k;
      slider.dispatchEvent(new Event("input"));
      out.push(document.getElementById("entry-decimal").dataset.value);
    }
    return out;
  });
  // The same function, on every cell of the page.
  found.all = await tab.evaluate((asked) => {
    const slider = document.getElementById("digits"), out = {};
    const cells = new Set([...document.querySelectorAll("td[data-c]")].map((td) => td.dataset.c));
    for (const id of cells) {
      document.querySelector(`td[data-c="${id}"]`).click();
      out[id] = [];
      for (const k of asked) {
        slider.value = k;
        slider.dispatchEvent(new Event("input"));
        out[id].push(document.getElementById("entry-decimal").textContent.slice(2));
      }
    }
    return out;
  }, briefly ? [] : [0, 1, 3, 7, 16, 30]);

  // Step by step back to what was given, and on to the end.
  const followed = async (row) => {
    await tab.click($(cell));
    const names = [];
    for (let n = 0; n < 60; n++) {
      const next = await tab.evaluate((name) => {
        const line = document.querySelector(`#entry [data-row="${name}"]`);
        const button = line.hidden ? null : line.querySelector("button");
        button?.click();
        return button ? document.querySelector("#entry-name small").textContent : null;
      }, row);
      if (next === null) break;
      names.push(next);
    }
    return names;
  };
  found.back = await followed("from");
  found.forward = await followed("to");
  found.focusAfterFollowing = (await panel()).focus;
  await tab.click("#back");
  found.afterBack = (await panel()).chosen;

  // By keys alone.
  await tab.keyboard.press("Escape");
  found.escaped = await panel();
  await tab.evaluate((selector) => document.querySelector(selector).focus(), $(cell));
  await tab.keyboard.press("Enter");
  found.entered = await panel();
  await tab.keyboard.press("ArrowLeft");
  found.left = await panel();
  await tab.keyboard.press("ArrowRight");
  found.right = await panel();
  await tab.keyboard.press("End");
  found.end = await panel();
  await tab.keyboard.press("Escape");
  found.closed = await panel();
  found.stops = await tab.evaluate(() => [...document.querySelectorAll("[role=grid]")].map((g) => g.querySelectorAll('td[tabindex="0"]').length));
  await tab.keyboard.press(" ");
  found.spaced = await panel();

  // What a screen reader is told of equations.
  const tree = await tab.accessibility.snapshot({ interestingOnly: false });
  const walk = (node, within) => {
    const isMath = /^(math|MathMLMath)$/i.test(node.role);
    if (isMath && !node.name && !within) found.unlabelled.push(JSON.stringify(node).slice(0, 120));
    // A cell, a heading and a button have names of their own.
    const named = within || (["gridcell", "cell", "button", "rowheader", "heading"].includes(node.role) && !!node.name) || node.name === "Panel of the chosen number";
    (node.children || []).forEach((child) => walk(child, named));
  };
  walk(tree, false);

  // Colours: what the system says, and the button.
  const paper = (t) => t.evaluate(() => getComputedStyle(document.body).backgroundColor);
  found.scheme.light = await paper(tab);
  await tab.click("#theme");
  found.scheme.toggled = await paper(tab);
  await tab.close();

  const looks = [["light", WIDE, "light"], ["dark", WIDE, "dark"], ["phone", PHONE, "light"], ["phone-dark", PHONE, "dark"]];
  for (const [name, viewport, scheme] of briefly ? [looks[0], looks[3]] : looks) {
    const one = await opened(viewport, scheme);
    if (name === "dark") found.scheme.dark = await paper(one);
    const was = await places(one);
    await one.evaluate((selector) => document.querySelector(selector).click(), $(cell));
    if (name.startsWith("phone")) {
      found.movedOnPhone = was !== (await places(one));
      found.covered = await one.evaluate((selector) => {
        const td = document.querySelector(selector);
        td.scrollIntoView({ block: "nearest" });
        return td.getBoundingClientRect().bottom > document.getElementById("panel").getBoundingClientRect().top;
      }, $(cell));
    }
    await one.evaluate(fs.readFileSync(axe, "utf8"));  // as a script it would be refused
    const report = await one.evaluate(() => window.axe.run(document));
    for (const v of report.violations) found.violations.push(`${name}: ${v.id}: ${v.nodes.length} × ${v.nodes[0].html.slice(0, 160)}: ${v.nodes[0].failureSummary}`);
    found.overflow[name] = await sideways(one);
    await one.close();
  }
  const plain = await opened(WIDE, "light", { script: false });
  found.plain = { overflow: await sideways(plain), tables: (await plain.$$("table")).length };
  await plain.close();
  await browser.close();
  console.log(JSON.stringify(found));
})();
