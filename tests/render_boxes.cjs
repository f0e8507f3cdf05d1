// Open a page in a headless Chromium; print of each box its border, height and text as JSON.
//   node render_boxes.cjs CHROMIUM PAGE
const puppeteer = require("puppeteer-core");

const [, , executablePath, page] = process.argv;

(async () => {
  const browser = await puppeteer.launch({ executablePath, headless: true, args: ["--no-sandbox", "--disable-gpu"] });
  const tab = await browser.newPage();
  await tab.goto(`file://${page}`);
  const found = await tab.evaluate(() =>
    [...document.querySelectorAll("main menclose")].map((e) => {
      const { borderTopStyle, borderTopWidth, color, borderTopColor } = getComputedStyle(e);
      const isSeen = borderTopStyle === "solid" && parseFloat(borderTopWidth) > 0 && color === borderTopColor;
      return { isSeen, height: e.getBoundingClientRect().height, blank: e.firstChild.localName === "mphantom" };
    }));
  await browser.close();
  console.log(JSON.stringify(found));
})();
