// Open pages of a built site in a headless Chromium, wide and narrow; print what is wrong as JSON.
//   node render_docs.cjs CHROMIUM SITE PAGES.json
const fs = require("fs");
const puppeteer = require("puppeteer-core");

const [, , executablePath, site, listed] = process.argv;
const WIDTHS = [1280, 380];

(async () => {
  const browser = await puppeteer.launch({ executablePath, headless: true, args: ["--no-sandbox", "--disable-gpu"] });
  const found = {};
  let of = null;
  const tab = await browser.newPage();
  tab.on("console", (message) => { if (["error", "warning"].includes(message.type())) of.errors.push(message.text()); });
  tab.on("pageerror", (error) => of.errors.push(error.message));
  tab.on("request", (request) => { if (!/^(file|data|blob):/.test(request.url())) of.requests.push(request.url()); });
  tab.on("requestfailed", (request) => of.errors.push(`not loaded: ${request.url()}`));
  for (const page of JSON.parse(fs.readFileSync(listed, "utf-8"))) {
    of = found[page] = { errors: [], requests: [], maths: [], wide: [] };
    for (const width of WIDTHS) {
      await tab.setViewport({ width, height: 900 });
      if (width === WIDTHS[0]) await tab.goto(`file://${site}/${page}`, { timeout: 120000 });
      // A page to explore has a test of its own, on a phone.
      else if (page.includes("/files/")) continue;
      // Boxes that scroll by themselves do not count.
      const sideways = await tab.evaluate((width) => document.documentElement.scrollWidth - width, width);
      if (sideways > 0) of.wide.push(`${width}: by ${sideways}`);
    }
    of.maths = await tab.evaluate(() => {
      const out = [...document.querySelectorAll("merror")].map((e) => e.textContent);
      const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      for (let node = walk.nextNode(); node; node = walk.nextNode()) {
        if (node.parentElement.closest("code, pre, script, style, annotation, textarea")) continue;
        if (/\$[^$\n]+\$|\\[([]|\\begin\{|\\frac|\\mathrm/.test(node.data)) out.push(node.data.slice(0, 80));
      }
      for (const math of document.querySelectorAll("math")) {
        const { width, height } = math.getBoundingClientRect();
        if (math.checkVisibility() && !(width > 0 && height > 0)) out.push(`of no size: ${math.textContent.slice(0, 80)}`);
      }
      return out;
    });
  }
  await browser.close();
  console.log(JSON.stringify(found));
})();
