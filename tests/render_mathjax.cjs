// Render every equation with MathJax; exit 1 at the first that it refuses.
const fs = require("fs");
const path = require("path");
const equations = JSON.parse(fs.readFileSync(process.argv[2], "utf8"));
(async () => {
  const MathJax = require("mathjax");
  await MathJax.init({ loader: { load: ["input/tex", "output/svg"] } });
  for (const latex of equations) {
    const svg = MathJax.startup.adaptor.outerHTML(await MathJax.tex2svgPromise(latex, { display: true }));
    if (svg.includes("data-mjx-error")) {
      console.log(`${svg.match(/data-mjx-error="([^"]*)"/)[1]}\n${latex}`);
      process.exit(1);
    }
  }
  console.log(`${equations.length} equations`);
})().catch((error) => { console.log(String(error)); process.exit(1); });
