"use strict";
// The page as an instrument: choose a number, see where it comes from, and follow it.
(() => {
  const MATHML = "http://www.w3.org/1998/Math/MathML";
  const { steps, result, mark = "." } = JSON.parse(document.getElementById("data").textContent);
  const root = document.documentElement;
  const at = (id) => document.getElementById(id);
  const panel = at("panel"), entry = at("entry"), digits = at("digits"), map = at("map");

  // Cells are called by their step's number and their place in it: "19.4".
  const parsed = (id) => id.split(".").map(Number);
  const cellsOf = (id) => [...document.querySelectorAll(`td[data-c="${id}"]`)];
  const exactOf = (id) => document.querySelector(`td[data-c="${id}"] > math`);
  const isCell = (tree) => Array.isArray(tree) && typeof tree[0] === "number";

  function leaves(tree, found = new Set()) {
    if (isCell(tree)) found.add(tree.join("."));
    else if (Array.isArray(tree)) tree.slice(1).forEach((part) => leaves(part, found));
    return found;
  }
  const treeOf = (id) => { const [key, i] = parsed(id); return steps[key]?.f?.[i]; };
  const sources = (id) => [...leaves(treeOf(id))];
  let users = null;
  function uses(id) {
    if (!users) {
      users = new Map();
      for (const [key, step] of Object.entries(steps)) {
        (step.f || []).forEach((tree, i) => {
          for (const leaf of leaves(tree)) users.set(leaf, [...(users.get(leaf) || []), `${key}.${i}`]);
        });
      }
    }
    return users.get(id) || [];
  }
  /** The cells of an expression whose change would change it: not those beside a factor of 0. */
  function moving(tree, found = new Set()) {
    if (isCell(tree)) found.add(tree.join("."));
    else if (Array.isArray(tree)) {
      const args = tree.slice(1), zeros = tree[0] === "*" ? args.filter(isZero) : [];
      args.filter((a) => zeros.every((zero) => zero === a)).forEach((a) => moving(a, found));
    }
    return found;
  }
  const leadOf = (key, i) => steps[key].d?.[i];
  const isZero = (tree) => tree === "0" || (isCell(tree) && leadOf(...tree) === "0");
  // What is masked is replaced by minus infinity, so that nothing goes through it.
  const isMasked = (id) => String(leadOf(...parsed(id))).endsWith("oo");
  const known = new Map();
  function movers(id) {
    if (!known.has(id)) known.set(id, isMasked(id) ? new Set() : moving(treeOf(id)));
    return known.get(id);
  }
  const movedBy = (id) => uses(id).filter((other) => movers(other).has(id));

  /** All that is reached from a cell by edges. */
  function reached(id, edges) {
    const seen = new Set(), waiting = [id];
    while (waiting.length) {
      for (const next of edges(waiting.pop())) {
        if (!seen.has(next)) { seen.add(next); waiting.push(next); }
      }
    }
    return [...seen];
  }

  // Decimals: one more digit than is shown decides, half away from zero. The digits are those
  // of the number itself, so this is no second rounding.
  function rounded(lead, k) {
    if (Array.isArray(lead)) return { sign: "≈", text: lead[Math.min(k, lead.length - 1)].replace("-", "−") };
    if (lead.endsWith("oo")) return { sign: "=", text: lead.replace("-", "−").replace("oo", "∞") };
    const negative = lead.startsWith("-"), goesOn = lead.endsWith("…");
    const [whole, after = ""] = lead.replace(/[-…]/g, "").split(".");
    const kept = after.padEnd(k + 1, "0");
    const units = BigInt(whole + kept.slice(0, k)) + (kept[k] >= "5" ? 1n : 0n);
    let text = String(units).padStart(k + 1, "0");
    if (k) text = `${text.slice(0, -k)}.${text.slice(-k)}`;
    return { sign: goesOn || after.length > k ? "≈" : "=", text: (negative && units ? "−" : "") + text };
  }

  // MathML, built as symattn writes an entry: brackets by what binds how strongly.
  const ADD = 0, MUL = 1, NEG = 2, POW = 3, ATOM = 4;
  function el(tag, ...parts) {
    const made = document.createElementNS(MATHML, tag);
    made.append(...parts);
    return made;
  }
  const row = (parts) => el("mrow", ...parts);
  const sign = (text) => { const mo = el("mo", text); mo.setAttribute("stretchy", "false"); return mo; };
  const bracketed = (node) => row([el("mo", "("), node, el("mo", ")")]);

  function written(tree, leaf) {
    if (isCell(tree)) return leaf(tree);
    if (typeof tree === "string") return number(tree);
    const [op, ...args] = tree;
    const part = (a, level, strict = false) => {
      const [node, own] = written(a, leaf);
      return own < level || (own === level && strict) || own === NEG ? bracketed(node) : node;
    };
    const plain = (a) => written(a, leaf)[0];
    const joined = (level, by, strict = false) =>
      [row(args.flatMap((a, i) => (i ? [sign(by), part(a, level, strict)] : [part(a, level)]))), level];
    switch (op) {
      case "+": return joined(ADD, "+");
      case "-": return joined(ADD, "−", true);
      case "*": return joined(MUL, "·");
      case "/": return [el("mfrac", row([plain(args[0])]), row([plain(args[1])])), ATOM];
      case "^": return [el("msup", part(args[0], POW, true), row([plain(args[1])])), POW];
      case "neg": return [row([sign("−"), part(args[0], MUL)]), NEG];
      case "exp": return [el("msup", el("mi", "e"), inLine(row([plain(args[0])]))), POW];
      case "sqrt": return [el("msqrt", row([plain(args[0])])), ATOM];
      case "abs": return [row([el("mo", "|"), plain(args[0]), el("mo", "|")]), ATOM];
      case "name": return [el("mi", args[0]), ATOM];
      case "pi": return [el("mi", "π"), ATOM];
    }
    const name = { maximum: "max", minimum: "min", sign: "sgn" }[op] || op;
    const inside = args.flatMap((a, i) => (i ? [el("mo", ","), plain(a)] : [plain(a)]));
    return [row([el("mi", name), bracketed(row(inside))]), ATOM];
  }
  function number(text) {
    if (text.endsWith("oo")) return text === "oo" ? [el("mi", "∞"), ATOM] : [row([sign("−"), el("mi", "∞")]), NEG];
    const negative = text.startsWith("-"), [top, bottom] = text.replace("-", "").split("/");
    const size = bottom ? el("mfrac", el("mn", top), el("mn", bottom)) : el("mn", top);
    return negative ? [row([sign("−"), size]), NEG] : [size, ATOM];
  }
  const SIGNS = { "−": "minus", "+": "plus", "·": "times", "∞": "infinity", "/": "over", "ℓ": "ell", "=": "equals" };
  /** MathML in words; a part that has a name is called by it. */
  function spoken(node) {
    if (node.hasAttribute("aria-label")) return node.getAttribute("aria-label");
    const text = node.textContent, said = [...node.children].map(spoken);
    switch (node.localName) {
      case "mo": case "mi": case "mn": case "mtext": return SIGNS[text] || text;
      case "mfrac": return /^\d+$/.test(said.join("")) ? said.join(" over ") : `the fraction ${said[0]}, over ${said[1]}, end fraction`;
      case "msqrt": return /^\d+$/.test(text) ? `root ${text}` : `the root of ${said.join(" ")}, end root`;
      case "msup": return `${said[0]} to the power ${said[1]}, end power`;
      case "msub": case "msubsup": return said.join(" sub ");
    }
    return said.filter((words) => words).join(" ");
  }
  const copied = (math) => row([...math.childNodes].map((node) => node.cloneNode(true)));
  /** The name of a cell: A[1,0], or ℓ with a subscript. */
  function named([key, i]) {
    const symbol = copied(at("symbols").content.querySelector(`[data-s="${key}"]`));
    const places = indexOf(key, i).join(",");
    const index = places && !steps[key].u ? [sign("["), el("mn", places), sign("]")] : [];
    const made = places && steps[key].u ? el("msub", symbol, el("mn", places)) : row([symbol, ...index]);
    made.setAttribute("aria-label", nameOf(`${key}.${i}`));
    return [made, ATOM];
  }
  function indexOf(key, i) {
    const index = [];
    for (const n of [...steps[key].s].reverse()) { index.unshift(i % n); i = Math.floor(i / n); }
    return index;
  }
  /** The value of a cell where it is short, else its name. */
  function valued([key, i]) {
    const math = exactOf(`${key}.${i}`), { l = [], p = {} } = steps[key];
    return math && !l.includes(i) ? [copied(math), p[i] ?? ATOM] : named([key, i]);
  }
  /** An equation with its words; hidden from those who listen where others say it. */
  function equation(part, hidden = false) {
    const math = el("math", part);
    math.setAttribute("displaystyle", "true");
    if (hidden) math.setAttribute("aria-hidden", "true");
    else math.setAttribute("aria-label", spoken(part));
    return math;
  }
  /** In an exponent, a fraction over one number is written in a line. */
  function inLine(node) {
    for (const part of node.querySelectorAll("mfrac")) {
      const [top, bottom] = part.children;
      if (bottom.localName === "mn" && !top.querySelector("mo")) part.replaceWith(row([top, sign("/"), bottom]));
    }
    return node;
  }

  // The panel.
  let chosen = null;
  const before = [];
  const names = new Map();
  const textOf = (id) => names.get(id) || "";
  // "A, row mouse, column cat: 0.40": a token may have a colon, a value has none.
  const nameOf = (id) => textOf(id).slice(0, textOf(id).lastIndexOf(": "));
  /** A few digits of a cell, for a button. */
  function shortOf(id) {
    const lead = leadOf(...parsed(id));
    if (!lead) return "";
    const { sign: about, text } = rounded(lead, 4);
    return (about === "=" && text.includes(".") ? text.replace(/\.?0+$/, "") : text).replace(".", mark);
  }

  /** Words for those who listen, where others see something else. */
  function unseen(words) {
    const span = document.createElement("span");
    span.className = "hidden";
    span.textContent = words;
    return span;
  }
  function fill(name, ...parts) {
    const line = entry.querySelector(`[data-row="${name}"]`);
    line.hidden = !parts.length;
    line.querySelector("dd").replaceChildren(...parts);
  }
  function chips(ids, most = 24) {
    const list = document.createElement("ul");
    list.className = "chips";
    for (const id of ids.slice(0, most)) {
      const item = document.createElement("li"), button = document.createElement("button");
      const value = document.createElement("span");
      value.className = "d";
      value.textContent = shortOf(id);
      button.type = "button";
      button.dataset.go = id;
      value.setAttribute("aria-hidden", "true");
      button.append(equation(named(parsed(id))[0], true), value, unseen(`${nameOf(id)}: ${value.textContent}`));
      item.append(button);
      list.append(item);
    }
    if (ids.length > most) {
      const more = document.createElement("li");
      more.textContent = `and ${ids.length - most} more`;
      list.append(more);
    }
    return list;
  }
  function floats(key, i) {
    const body = document.createElement("table");
    for (const [kind, all] of Object.entries(steps[key].x)) {
      const [value, ulps] = all[i];
      const off = ulps === "" ? "" : ulps === "0" ? "exact" : ulps.startsWith("=") ? `${ulps.slice(1)} off` : `${ulps} ulp off`;
      const line = body.insertRow();
      const head = document.createElement("th");
      head.scope = "row";
      head.textContent = kind;
      line.append(head);
      for (const text of [value.replace("-", "−").replace("inf", "∞"), off]) line.insertCell().textContent = text;
    }
    return body;
  }
  function showDecimal() {
    const [key, i] = parsed(chosen), lead = steps[key].d?.[i], line = at("entry-decimal");
    at("digits-said").textContent = digits.value;
    at("entry-digits").hidden = !lead || String(lead).endsWith("oo");
    line.replaceChildren();
    if (!lead) { line.textContent = "contains symbols"; return; }
    const { sign: about, text } = rounded(lead, Number(digits.value));
    const [whole, after] = text.split(".");
    const groups = after ? after.match(/.{1,5}/g) : [];
    const first = `${about} ${whole}${after ? mark : ""}${groups.shift() || ""}`;
    for (const group of [first, ...groups]) {
      const span = document.createElement("span");
      span.textContent = group;
      line.append(span, document.createElement("wbr"));
    }
    line.setAttribute("data-value", text);
  }
  function fillPanel(id) {
    const [key, i] = parsed(id), step = steps[key], tree = step.f?.[i];
    const symbol = equation(named([key, i])[0], true);
    const name = document.createElement("small");
    name.textContent = nameOf(id);
    at("entry-name").replaceChildren(symbol, name);
    showDecimal();
    const claim = step.v?.[i];
    fill("claim", ...(claim ? [claim[2] === "wrong" ? `${claim[0]}, should be ${claim[1]}` : `${claim[0]}: ${claim[2]}`] : []));
    fill("exact", ...(exactOf(id) ? [equation(copied(exactOf(id)))] : []));
    fill("where", ...defined(id).map(definition));
    const isWritten = Array.isArray(tree);
    fill("formula", ...(isWritten ? [equation(written(tree, named)[0])] : ["given"]));
    fill("substituted", ...(isWritten ? [equation(written(tree, valued)[0])] : []));
    fill("floats", ...(step.x ? [floats(key, i)] : []));
    const from = sources(id).sort(byPlace), to = uses(id).sort(byPlace);
    const roots = reached(id, movers).filter((other) => !treeOf(other) && !isMasked(other));
    const forward = reached(id, movedBy);
    const ends = forward.filter((other) => parsed(other)[0] === result);
    const last = ends.length ? ends : forward.filter((other) => !uses(other).length);
    const far = (ids, near) => (ids.some((other) => !near.includes(other)) ? [chips(ids.sort(byPlace))] : []);
    fill("from", ...(from.length ? [chips(from)] : []));
    fill("roots", ...far(roots, from));
    fill("to", ...(to.length ? [chips(to)] : []));
    fill("ends", ...far(last, to));
    return { from, to };
  }
  /** In the order of the steps; the insides of softmaxes, where nothing goes on, come last. */
  function byPlace(a, b) {
    const [k, i] = parsed(a), [l, j] = parsed(b), inside = (key) => steps[key].i || 0;
    return inside(k) - inside(l) || k - l || i - j;
  }
  /** The cells that an exact value names, and those that these name, deepest first. */
  function defined(id, found = new Set()) {
    const [key, i] = parsed(id);
    for (const cell of steps[key].w?.[i] || []) {
      if (found.size > 12 || found.has(cell.join("."))) continue;
      defined(cell.join("."), found);
      found.add(cell.join("."));
    }
    return [...found];
  }
  function definition(id) {
    const cell = parsed(id), line = document.createElement("div"), math = exactOf(id);
    const parts = row([named(cell)[0], el("mo", "="), math ? copied(math) : el("mtext", shortOf(id))]);
    line.append(equation(parts));
    return line;
  }
  function light(id, from, to) {
    for (const td of document.querySelectorAll("td.chosen, td.from, td.to")) {
      td.classList.remove("chosen", "from", "to");
      td.removeAttribute("aria-selected");
    }
    const mark = (ids, name) => ids.forEach((other) => cellsOf(other).forEach((td) => td.classList.add(name)));
    mark(to, "to");
    mark(from, "from");
    mark([id], "chosen");
    cellsOf(id).forEach((td) => td.setAttribute("aria-selected", "true"));
    const keys = (ids) => new Set(ids.map((other) => String(parsed(other)[0])));
    markMap(String(parsed(id)[0]), keys(from), keys(to));
  }
  const links = [...map.querySelectorAll('a[href^="#step-"]')];
  const keysOf = (link) => [link.getAttribute("href").slice(6), ...(link.dataset.also || "").split(" ")];
  function markMap(here, from = new Set(), to = new Set()) {
    for (const link of links) {
      const keys = keysOf(link), isHere = keys.includes(here);
      link.classList.toggle("here", isHere);
      link.classList.toggle("from", keys.some((key) => from.has(key)));
      link.classList.toggle("to", keys.some((key) => to.has(key)));
      if (isHere) link.setAttribute("aria-current", "step");
      else link.removeAttribute("aria-current");
    }
    for (const line of map.querySelectorAll("[data-edge]")) {
      const [a, b] = line.dataset.edge.split("-");
      line.classList.toggle("from", b === here);
      line.classList.toggle("to", a === here);
    }
  }
  function choose(id, { remember = true } = {}) {
    if (remember && chosen && chosen !== id) before.push(chosen);
    chosen = id;
    at("back").disabled = !before.length;
    entry.hidden = false;
    panel.classList.add("open");
    panel.classList.remove("with-map");
    at("show-map").setAttribute("aria-expanded", "false");
    const { from, to } = fillPanel(id);
    light(id, from, to);
    markScrolls(entry);
  }
  /** Choose a cell from the panel: it comes into view, and the panel's heading is read. */
  function follow(id, options) {
    choose(id, options);
    const td = cellsOf(id)[0];
    if (td) {
      reveal(td);
      rove(td);
      td.scrollIntoView({ block: "nearest", inline: "nearest" });
    }
    panel.scrollTop = 0;
    at("entry-name").focus({ preventScroll: true });
  }
  function close() {
    const td = chosen && cellsOf(chosen)[0];
    entry.hidden = true;
    panel.classList.remove("open", "with-map");
    at("show-map").setAttribute("aria-expanded", "false");
    if (chosen) light(chosen, [], []);
    document.querySelectorAll("td.chosen").forEach((other) => other.classList.remove("chosen"));
    chosen = null;
    before.length = 0;
    markMap(null);
    td?.focus();
  }
  function reveal(node) {
    for (let up = node; up; up = up.parentElement) if (up.tagName === "DETAILS") up.open = true;
  }

  // Grids: one stop of the Tab key each, arrows inside.
  const cellAt = (node) => node.closest?.("td[data-c]");
  function rove(td) {
    for (const other of td.closest("table").querySelectorAll('td[tabindex="0"]')) other.tabIndex = -1;
    td.tabIndex = 0;
  }
  function moved(td, key, far) {
    const rows = [...td.closest("table").rows].map((line) => [...line.querySelectorAll("td[data-c]")]).filter((line) => line.length);
    const y = rows.findIndex((line) => line.includes(td)), x = rows[y].indexOf(td);
    const last = rows[y].length - 1;
    switch (key) {
      case "ArrowLeft": return rows[y][x - 1];
      case "ArrowRight": return rows[y][x + 1];
      case "ArrowUp": return rows[y - 1]?.[x];
      case "ArrowDown": return rows[y + 1]?.[x];
      case "Home": return far ? rows[0][0] : rows[y][0];
      case "End": return far ? rows.at(-1).at(-1) : rows[y][last];
    }
    return undefined;
  }
  for (const table of document.querySelectorAll("table.m, table.l")) {
    const cells = table.querySelectorAll("td[data-c]");
    table.setAttribute("role", "grid");
    cells.forEach((td, i) => {
      td.tabIndex = i ? -1 : 0;
      // As a cell of a grid, it is called by what is in it.
      const name = td.getAttribute("aria-label");
      names.set(td.dataset.c, name);
      td.removeAttribute("aria-label");
      for (const part of td.children) part.setAttribute("aria-hidden", "true");
      td.append(unseen(name));
    });
  }
  /** What scrolls sideways can be reached and scrolled by keys. */
  function markScrolls(within) {
    for (const box of within.querySelectorAll(".eq, .scroll, .long, #entry dd")) {
      if (box.scrollWidth > box.clientWidth + 1) box.tabIndex = 0;
      else box.removeAttribute("tabindex");
    }
  }

  document.addEventListener("click", (event) => {
    const go = event.target.closest?.("[data-go]"), td = cellAt(event.target);
    if (go) follow(go.dataset.go);
    else if (td) { rove(td); td.focus({ preventScroll: true }); choose(td.dataset.c); }
    const link = event.target.closest?.('a[href^="#"]');
    if (link) { const target = at(link.getAttribute("href").slice(1)); if (target) reveal(target); }
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && panel.classList.contains("open")) { close(); return; }
    const td = cellAt(event.target);
    if (!td || event.altKey || event.metaKey) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      choose(td.dataset.c);
      at("said").textContent = `Panel: ${textOf(td.dataset.c)}`;
      return;
    }
    const next = moved(td, event.key, event.ctrlKey);
    if (!next) return;
    event.preventDefault();
    rove(next);
    next.focus();
    if (chosen) choose(next.dataset.c, { remember: false });
  });
  digits.addEventListener("input", showDecimal);
  at("close").addEventListener("click", close);
  at("back").addEventListener("click", () => follow(before.pop(), { remember: false }));
  at("show-map").addEventListener("click", () => {
    const open = !(panel.classList.contains("open") && panel.classList.contains("with-map"));
    panel.classList.toggle("open", open);
    panel.classList.toggle("with-map", open);
    at("show-map").setAttribute("aria-expanded", String(open));
  });

  // Light and dark: as the system says, or as was chosen.
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : dark.matches);
  const sayTheme = () => { at("theme").textContent = isDark() ? "Light" : "Dark"; };
  const stored = (value) => {
    try { return value ? localStorage.setItem("symattn-theme", value) : localStorage.getItem("symattn-theme"); } catch { return null; }
  };
  at("theme").addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    stored(root.dataset.theme);
    sayTheme();
  });
  dark.addEventListener("change", sayTheme);
  const theme = stored();
  if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  sayTheme();

  // Paper shows everything.
  let folded = [];
  addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("details:not([open])")];
    folded.forEach((part) => { part.open = true; });
  });
  addEventListener("afterprint", () => folded.forEach((part) => { part.open = false; }));
  addEventListener("resize", () => markScrolls(document));
  // Where one reads is marked in the map, until a number is chosen.
  const watcher = new IntersectionObserver((seen) => {
    const here = seen.find((one) => one.isIntersecting);
    if (here && !chosen) markMap(here.target.dataset.s);
  }, { rootMargin: "-20% 0px -60% 0px" });
  document.querySelectorAll(".step").forEach((block) => watcher.observe(block));
  root.classList.add("js");
  markScrolls(document);
})();
