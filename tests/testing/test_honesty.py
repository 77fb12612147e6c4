"""What is counted of pages is what they hold."""

from __future__ import annotations

from textwrap import dedent

from jaxlint.testing.honesty import Figures, figures
from jaxlint.testing.pages import parse_page

PAGE = """\
Something goes wrong.

```py
f(x)  # error
g(x)  # missed: [other]
h(x)  # false-alarm
```

```py fixed
f(1)
```

```py
f(1)
```

```py no-jax="it needs a network"
f(x)  # error
```
"""


def test_each_marker_and_each_block_counts_once() -> None:
    page = parse_page(dedent(PAGE).splitlines(), 1, "own", "own.md")
    more = parse_page(["```py", "f(x)  # error", "```"], 1, "own", "more.md")
    own = Figures(proved=2, unproved=1, missed=0, false_alarms=1, look_alikes=1)
    assert {"other": Figures(missed=1), "own": own} == figures([page, more])
