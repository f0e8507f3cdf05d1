// Render every equation with KaTeX in strict mode; exit 1 at the first that it refuses.
const fs = require("fs");
const katex = require("katex");
const equations = JSON.parse(fs.readFileSync(process.argv[2], "utf8"));
for (const latex of equations) {
  try {
    // Words of another script are legitimate; everything else that is odd is an error.
    const strict = (code) => (["unknownSymbol", "symbolNotInFont"].includes(code) ? "ignore" : "error");
    katex.renderToString(latex, { displayMode: true, throwOnError: true, strict });
  } catch (error) {
    console.log(`${error.message}\n${latex}`);
    process.exit(1);
  }
}
console.log(`${equations.length} equations`);
