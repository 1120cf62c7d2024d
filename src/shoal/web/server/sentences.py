"""Errors as users of the server read them: the same sentence, without the server's own paths."""

from __future__ import annotations

import re

from shoal.errors import InputError

PREFIX = "shoal-serve-"
"""How the names of the server's folders begin."""
BROKEN = "something went wrong on the server; its log says what"
_OURS = re.compile(rf"(?:[A-Za-z]:)?[/\\][^\s'\"]*{PREFIX}[^\s'\",;:]*")


def sentence(problem: Exception) -> str:
    """Return an error in one line, without the names of the server's own files.

    >>> sentence(InputError("a NUL byte", file="/tmp/shoal-serve-x/1/table.csv", line=3))
    'line 3: a NUL byte'
    >>> sentence(InputError("no such level", file="the hierarchy of age"))
    'the hierarchy of age: no such level'
    """
    text = str(problem)
    if isinstance(problem, InputError) and _OURS.search(str(problem.file or "")):
        text = problem.what if problem.line is None else f"line {problem.line}: {problem.what}"
    return " ".join(_OURS.sub("the table", text).split())
