// The picture in the README: a page as Chromium shows it, with one entry chosen.
//   node tests/picture.cjs CHROMIUM /path/to/article.html 'A[1,1]' docs/article.png
const puppeteer = require("puppeteer-core");

const [, , executablePath, page, address, out] = process.argv;

(async () => {
  const browser = await puppeteer.launch({ executablePath, headless: true, args: ["--no-sandbox", "--disable-gpu"] });
  try {
    const tab = await browser.newPage();
    await tab.setViewport({ width: 1180, height: 640 });
    await tab.goto(`file://${page}`);
    await tab.evaluate((address) => {
      const named = (td) => { td.click(); return document.getElementById("entry-name").textContent.startsWith(address); };
      const cell = [...document.querySelectorAll("td[data-c]")].find(named);
      if (!cell) throw new Error(`wanted an entry of the page, got ${address}`);
      scrollBy(0, cell.getBoundingClientRect().top - innerHeight / 2);
    }, address);
    await tab.screenshot({ path: out });
  } finally {
    await browser.close();
  }
})().catch((error) => { console.error(error.message); process.exitCode = 1; });
