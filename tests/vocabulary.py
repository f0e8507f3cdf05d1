"""Every word that the reader of documents knows, set where documents have words.

Which words these are is kept in golden/words.txt: what a source forgets shows, since it is asked still.
"""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent
KEPT = Path(__file__).parent / "golden" / "words.txt"

#: A command, a word, an HTML entity, or a sign that no keyboard has; of a pattern those that stand in it.
_WORD = re.compile(r"\\\\[a-zA-Z]{2,}|[a-zA-Z][a-zA-Z_]*[*]?(?:[ .:-][a-zA-Z_]+)*|[^\x00-\x7f]")


def of_sources() -> set[str]:
    """The words that today's sources know."""
    found: set[str] = set()
    for path in sorted((ROOT / "symattn" / "claims" / "reading").glob("*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        documented = {
            node.body[0].value
            for node in ast.walk(tree)
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
            and isinstance(node.body[0], ast.Expr)
        }
        for node in ast.walk(tree):
            if not isinstance(node, ast.Constant) or node in documented:
                continue
            if isinstance(node.value, str):
                # The letters of \d and \s are no words; `(?:` begins none.
                text = re.sub(r"(?<!\\)\\[bdsSwWDAZ]|\(\?P<\w+>|\(\?[:=!<]+", " ", node.value)
                found.update(word.lstrip("\\") for word in _WORD.findall(text))
    return found


@cache
def words() -> tuple[str, ...]:
    """Those that are asked."""
    return tuple(KEPT.read_text("utf-8").splitlines())


def add() -> None:
    """Words that are new in the sources are asked from now on."""
    KEPT.write_text("\n".join(sorted({*words(), *of_sources()})) + "\n", "utf-8")
    words.cache_clear()


def _text(word: str) -> str:
    """A word in prose, headings, labels, tables, cells and facts."""
    return rf"""# {word}

[[0.1, 0.2], [0.3, 0.4]]

The {word} is:

$$\begin{{bmatrix}} 0.35 & 0.65 \\ 0.5 & 0.5 \end{{bmatrix}}$$

Here the {word} of each token:

$$\begin{{pmatrix}} 0.35 & 0.65 \end{{pmatrix}}$$

$${word} = \begin{{bmatrix}} 1 & 2 \\ 3 & 4 \end{{bmatrix}}, \quad {word}_1 = [1, 2], \quad x^{{({word})}} = (3, 4)$$

$$\{word}{{A}} = \{word} B = \begin{{bmatrix}} 5 & 6 \end{{bmatrix}} \{word} \begin{{bmatrix}} 7 \\ 8 \end{{bmatrix}}$$

$${word}(Q, K, V) = \begin{{bmatrix}} 1 & 2 \end{{bmatrix}}$$

$${word}(Q K^T) V = \begin{{bmatrix}} 1 & 2 \end{{bmatrix}}$$

$$A {word} V = \begin{{bmatrix}} 1 & 2 \end{{bmatrix}}$$

$$Q K^{{\{word}{{T}}}} = Q K^\{word} = \begin{{bmatrix}} 1 & 2 \end{{bmatrix}}$$

$$\frac{{Q K^T}}{{\{word}{{d_{{{word}}}}}}} = \begin{{bmatrix}} 1 & 2 \end{{bmatrix}}$$

$${word}.{word}(X)[{word}] = \begin{{bmatrix}} 1 & 2 \end{{bmatrix}}$$

$${word}(Q K^T) V = A {word} V = \frac{{1}}{{{word}}} \begin{{bmatrix}} 5 & 6 \end{{bmatrix}} {word} [[1, 2], [3, 4]]$$

$$\begin{{bmatrix}} \{word}{{0.5}} & {word} 0.25 & 0.75 {word} \\ \{word} 0.5 & \{word}{{a}}{{0.5}} & {word}{{0.5}} \\ 0.5\{word} & {word} & \{word} \end{{bmatrix}}$$

$A[{word}, 0] = 0.5 \{word} 0.7 {word} 1$ and $S_{{{word}}} = \{word}{{2}}/3 = {word}(2)$, {word} = 4, `{word} = 3`

| {word} | cat | dog |
|---|---|---|
| cat | 0.5 | {word} |
| dog | 0.25{word} | {word}0.75 |

| step | {word} | A |
|---|---|---|
| 1 | [1, 2] | (3, 4) |
| 2 | [3, 4] | (5, 6) |

We divide by {word}, without {word} masking, {word} mask; {word}: cat, chases, mouse. The scores are {word} scaled by $\sqrt{{d_{{{word}}}}}$.
Divide by the square root of the {word}. {word} hides later tokens. $d_{{\{word}{{k}}}} = 2$ {word} is 8.
"""


def _blocks(word: str) -> str:
    """A word as an environment, in fences, in code and in comments."""
    return rf"""$$A = \begin{{{word}}} 1 & 2 \\ 3 & 4 \end{{{word}}}$$

$$A = \begin{{{word}}}{{cc}} 1 & 2 \\ 3 & 4 \end{{{word}}}$$

$$\begin{{{word}}} A &= \begin{{bmatrix}} 1 & 2 \end{{bmatrix}} \\ &= [3, 4] \end{{{word}}}$$

```{word}
A = [[1, 2], [3, 4]]
```

```{{{word}}} title
A = \begin{{bmatrix}} 1 & 2 \end{{bmatrix}}
```

```python
A = {word}([[1, 2], [3, 4]])
np.{word}([[1., 2.]])
{word} = np.array([[5, 6]])
{word}[0] = [7, 8]
x.{word}(0) = [[9, 10]]
print({word}[1])
{word}(keys.T) # {word} [[1, 2]]
tensor([[1., 2.]], {word}=torch.float32)
```

```
{word}:
[[0.1 0.2]
 [0.3 {word}]]
{word} [0.5, 0.5]
```

<!-- symattn: {word} -->

$$\begin{{bmatrix}} 0.1 & 0.2 \end{{bmatrix}}$$ <!-- symattn: {word}[0] -->

The number 0.5 <!-- symattn: A[0,0] {word} --> <!-- symattn: show {word} -->

| A | {word} |
|---|---|
| 0.5 | 0.5 |

<!-- /symattn: show --> <!-- symattn: spec {word} --> <!-- symattn: {word} A -->
"""


def _page(word: str) -> str:
    """A word as a tag, an attribute and an entity."""
    return rf"""<h1>A</h1><{word}>[[1, 2], [3, 4]]</{word}>
<p>The <{word}>scores</{word}> are [[1, 2],<{word}>[3, 4]]</p> &{word}; &{word} <{word}/>
<table><caption>{word}</caption><tr><th>{word}</th><th>cat</th></tr>
<tr><{word}>0.5</{word}><td>1</td></tr><tr><td>0.25&{word};</td><td><{word}>0.75</{word}></td></tr></table>
<{word}><tr><td>1</td><td>2</td></tr></{word}>
<script type="{word}; mode=display">A = [[1, 2], [3, 4]]</script>
<math><annotation encoding="{word}">A = [[5, 6], [7, 8]]</annotation></math>
<pre class="{word}">A = [[0.1 0.2]
 [0.3 0.4]]</pre> <code>{word} = [[1, 2]]</code> \[{word} = \begin{{bmatrix}} 1 & 2 \end{{bmatrix}}\]
"""


def documents(word: str) -> tuple[tuple[str, str], ...]:
    """Documents about a word, each with its kind."""
    text = _text(word)
    return (
        (text, "markdown"), (text, "latex"), (_blocks(word), "markdown"), (_blocks(word), "latex"),
        (_page(word), "html"), (f"{word}\n\n[[1, 2], [3, 4]]\n\n$$ {word} $$ {word} 0.5", "text"),
    )  # fmt: skip
