"""Charts' templates, which look like manifests until Helm has rendered them."""

from __future__ import annotations

import re

from clientgen._problems import Problem

HINT = "Render the chart with `helm template`, and use its output."
# A line that YAML takes for the start of an object and Helm for a directive.
_DIRECTIVE = re.compile(r"^(?:[^#'\"\n]*[:\-]\s+|\s*)\{\{.*", re.MULTILINE)


def is_template(text: str) -> bool:
    """Return whether a chart would fill in something here."""
    return "{{" in text


def helm_problem(text: str, shown: str, before: int | None = None) -> Problem | None:
    """Return the problem of a chart's template; None if the text is none.

    Args:
        text: the text of the file.
        shown: how messages call it.
        before: the number of the line in which YAML ends; directives after it were not seen.
    """
    directives = list(_DIRECTIVE.finditer(text))
    first = text.count("\n", 0, directives[0].start()) + 1 if directives else 0
    if not directives or (before is not None and first > before + 1):
        return None
    directive = directives[0][0][directives[0][0].index("{{") :].strip()
    more = f" (and {len(directives) - 1} more)" if len(directives) > 1 else ""
    what = f"is a Helm template, not a manifest: `{directive}`{more}"
    return Problem(f"{shown}:{first}", what, HINT)
