"""How Sphinx makes a site of these documents: `python -m sphinx -W -b dirhtml docs build/site`."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE / "extensions"), str(HERE.parent)]

from jaxlint import __version__  # noqa: E402
from jaxlint.report.links import HOME  # noqa: E402

project = "jaxlint"
author = "The jaxlint developers"
version = release = __version__
root_doc = "index"
exclude_patterns = ["extensions", "static"]
extensions = [
    "myst_parser",
    "sphinx_copybutton",
    "contents",
    "repository",
    "rule_pages",
    "mentions",
]

# Anchors are those that GitHub gives to headings.
myst_heading_anchors = 4
nitpicky = True

html_theme = "furo"
html_title = f"jaxlint {version}"
html_baseurl = f"{HOME}/"
html_copy_source = False
html_show_copyright = False
html_static_path = ["static"]
html_css_files = ["site.css"]
html_theme_options = {"source_view_link": "", "source_edit_link": ""}

# What is copied of a session are its commands.
copybutton_prompt_text = "$ "
copybutton_only_copy_prompt_lines = True
copybutton_line_continuation_character = "\\"

# Stands for addresses that a project has yet to get.
linkcheck_ignore = [r"https://example\.org/"]
linkcheck_anchors = False
