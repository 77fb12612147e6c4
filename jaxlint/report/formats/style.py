"""How the report for browsers looks: one style sheet, for paper, phones and dark rooms too."""

from __future__ import annotations

from jaxlint.report.formats.figure import ROW

_COLOURS = """
:root {
  color-scheme: light dark;
  --ground: #ffffff; --sheet: #f6f7f9; --line: #d5d9e0; --ink: #1b1f27; --soft: #545b69;
  --link: #0b57b7; --error: #b3211f; --warning: #8a5300; --perf: #7a2aa0; --info: #0a6275;
  --good: #1b6b30; --mark: #fff0b8; --here: #ffd9d4; --badge: #ffffff;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #14171c; --sheet: #1d2128; --line: #39404c; --ink: #e6e9ef; --soft: #a5adba;
    --link: #86b9ff; --error: #ff8f86; --warning: #f0b45c; --perf: #d59cf5; --info: #6fcbe0;
    --good: #7fd594; --mark: #4a4116; --here: #5c2622; --badge: #14171c;
  }
}
"""

_LAYOUT = """
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0 auto; max-width: 66rem; padding: 1rem; background: var(--ground);
  color: var(--ink); font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.5rem; margin: 0; }
h2 { font-size: 1.1rem; margin: 2rem 0 .5rem; }
h3, h4 { font-size: 1rem; margin: 1rem 0 .5rem; }
a { color: var(--link); }
code, pre { font: 14px/RPX ui-monospace, "SF Mono", Menlo, Consolas, monospace; }
pre { margin: 0; }
p { margin: .5rem 0; }
.soft { color: var(--soft); }
fieldset { border: 0; padding: 0; margin: .75rem 0; display: flex; flex-wrap: wrap; gap: .5rem; }
label { border: 1px solid var(--line); border-radius: 1rem; padding: .25rem .75rem;
  cursor: pointer; }
label:focus-within { outline: 2px solid var(--link); }
article, section.rule, .unchecked { background: var(--sheet); border: 1px solid var(--line);
  border-left-width: 4px; border-radius: 6px; padding: .75rem 1rem; margin: 1rem 0; }
article > h3 { margin: 0; }
.error { border-left-color: var(--error); } .warning { border-left-color: var(--warning); }
.perf { border-left-color: var(--perf); } .info { border-left-color: var(--info); }
b.error { color: var(--error); } b.warning { color: var(--warning); }
b.perf { color: var(--perf); } b.info { color: var(--info); }
.verdict { font-weight: 600; }
.confirmed, .confirmed-next { color: var(--error); } .confirmed-if { color: var(--warning); }
.refuted-for { color: var(--good); }
ol, ul { margin: .5rem 0; padding-left: 1.75rem; }
summary { cursor: pointer; min-height: 1.75rem; }
details > pre { overflow-x: auto; border: 1px solid var(--line); padding: .5rem; }
footer { margin: 2rem 0 0; }
"""

_FIGURE = """
.figure { display: flex; background: var(--ground); border: 1px solid var(--line);
  border-radius: 4px; margin: .5rem 0; padding: .25rem 0; }
.figure svg { flex: none; display: block; margin-left: .25rem; }
.figure path { fill: none; stroke: var(--link); stroke-width: 1.5; }
.figure pre { line-height: RPX; }
.figure pre span, .figure pre mark, .figure pre b { line-height: 1; }
.figure .numbers { flex: none; padding: 0 .6rem 0 .3rem; text-align: right; color: var(--soft);
  user-select: none; }
.figure .lines { flex: 1; min-width: 0; overflow-x: auto; padding-right: .5rem; }
.figure .lines b { color: var(--soft); }
mark { background: var(--mark); color: inherit; border-radius: 2px; }
mark.here { background: var(--here); }
mark:target { outline: 2px solid var(--link); }
.stop { background: var(--link); color: var(--badge); border-radius: .6em; font: 600 11px/1
  system-ui, sans-serif; padding: 1px 5px; margin-right: 3px; user-select: none; }
li:hover { background: var(--mark); }
@media (max-width: 40rem) { body { padding: .5rem; } article { padding: .5rem .6rem; } }
@media print { fieldset { display: none; } details > * { display: block; } }
"""

_HIDING = "".join(
    f"body:has(#show-{name}:not(:checked)) article.{name} {{ display: none; }}\n"
    for name in ("error", "warning", "perf", "info")
)

STYLE = (_COLOURS + _LAYOUT + _FIGURE + _HIDING).replace("RPX", f"{ROW}px")
