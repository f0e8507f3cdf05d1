// Open pages in a headless Chromium, let everything in them happen, and print what did, as JSON.
//   node render_hostile.cjs CHROMIUM PAGE ...
const puppeteer = require("puppeteer-core");

const [, , executablePath, ...pages] = process.argv;

(async () => {
  const browser = await puppeteer.launch({ executablePath, headless: true, args: ["--no-sandbox", "--disable-gpu"] });
  const found = {};
  for (const page of pages) {
    const seen = (found[page] = { requests: [], dialogs: [], words: "" });
    const tab = await browser.newPage();
    tab.on("request", (request) => { if (request.url() !== `file://${page}`) seen.requests.push(request.url()); });
    tab.on("dialog", async (dialog) => { seen.dialogs.push(dialog.message()); await dialog.dismiss(); });
    await tab.goto(`file://${page}`);
    // What waits for a reader: folds, pointers, keys, links of script.
    await tab.evaluate(() => {
      document.querySelectorAll("details").forEach((fold) => { fold.open = true; });
      for (const name of ["click", "mouseover", "focus"])
        document.querySelectorAll("body *").forEach((e) => { if (!(e.closest("a[href]"))) e.dispatchEvent(new Event(name)); });
      document.querySelectorAll('a[href^="javascript" i]').forEach((a) => a.click());
    });
    await new Promise((resolve) => setTimeout(resolve, 200));
    seen.pwned = await tab.evaluate(() => window.pwned !== undefined);
    seen.words = await tab.evaluate(() => document.documentElement.textContent);
    await tab.close();
  }
  await browser.close();
  console.log(JSON.stringify(found));
})();
