"""A codebook as Markdown, for people."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from shoal.numbers import many
from shoal.present.report.facts import printable


def codebook_text(document: Mapping[str, Any]) -> str:
    """Return the text of a codebook: a table of the variables of each file, and one of each's values."""
    lines = ["# Codebook", ""]
    for file in document["files"]:
        rows, columns = many(file["caseQnty"], "row"), many(file["varQnty"], "variable")
        lines += [f"## {_cell(file['fileName'])}", "", f"{rows}, {columns}.", ""]
        lines += ["| variable | label | type | values | missing | recoding |", "| --- " * 6 + "|"]
        lines += [_row(variable) for variable in file["var"]]
        for variable in file["var"]:
            if variable["catgry"]:
                lines += ["", f"### {_titled(variable)}", ""]
                if variable["distinct"] > len(variable["catgry"]):
                    lines += ["The values that have a label:", ""]
                lines += ["| value | label | rows |", "| --- " * 3 + "|"]
                lines += [
                    f"| {_cell(one['catValu'])} | {_cell(one['labl'] or '')} | {one['catStat']:,} |"
                    for one in variable["catgry"]
                ]
        lines.append("")
    return "\n".join(lines)


def _titled(variable: Mapping[str, Any]) -> str:
    name = _cell(variable["name"])
    return f"{name}: {_cell(variable['labl'])}" if variable["labl"] else name


def _row(variable: Mapping[str, Any]) -> str:
    codes = ", ".join(map(_cell, variable["invalrng"]))
    missing = f"{variable['missing']:,}" + (f"; declared codes: {codes}" if codes else "")
    cells = (
        _cell(variable["name"]),
        _cell(variable["labl"] or ""),
        variable["varFormat"],
        f"{variable['distinct']:,}",
        missing,
        variable["codInstr"],
    )
    return "| " + " | ".join(cells) + " |"


def _cell(text: str) -> str:
    r"""Return a text that Markdown shows as it is.

    >>> print(_cell("a|b <i> *"))
    a\|b \<i\> \*
    """
    return re.sub(r"([\\`*_{}\[\]<>#|~])", r"\\\1", printable(text))
