"""Makes docs/rest.md from the description of the REST API that the server itself gives.

python docs/rest_page.py > docs/rest.md
"""

from __future__ import annotations

import sys
from typing import Any, cast

from shoal.web.api.application import make_app
from shoal.web.server.sessions import Sessions

HEAD = """# REST

Every endpoint of the server that `shoal serve` starts, made by `python docs/rest_page.py` from the
description that the server itself gives (`/api/openapi.json`). [The web application](web.md#for-programs)
has an example from upload to download, and says how long jobs, refusals and sessions work. Answers are the
documents that the commands print with `--json` ([schemas](schemas/README.md)); the fields of questions are
those of [the commands](reference.md).
"""


def page() -> str:
    """Return the page."""
    told = make_app(cast(Sessions, None)).openapi()
    parts = [HEAD]
    kinds: dict[str, list[str]] = {}
    for path, methods in told["paths"].items():
        for method, said in methods.items():
            kinds.setdefault(_kind(path, said), []).append(_row(method, path, said))
    for kind, rows in kinds.items():
        parts += [f"## {kind}", "", "| endpoint | takes | does |", "| --- | --- | --- |", *rows, ""]
    parts += ["## What questions take", ""]
    for name, schema in sorted(told["components"]["schemas"].items()):
        if schema.get("properties") and name not in _OF_THE_FRAMEWORK and _asked(told, name):
            parts += _fields(name, schema)
    return "\n".join(parts).rstrip() + "\n"


_OF_THE_FRAMEWORK = {"HTTPValidationError", "ValidationError"}


def _kind(path: str, said: dict[str, Any]) -> str:
    return str((said.get("tags") or [path.split("/")[2]])[0]).capitalize()


def _row(method: str, path: str, said: dict[str, Any]) -> str:
    body = said.get("requestBody", {}).get("content", {})
    takes = [f"`?{one['name']}=`" for one in said.get("parameters", ()) if one["in"] == "query"]
    for kind, given in body.items():
        named = given["schema"].get("$ref", "").rpartition("/")[2]
        takes.append(f"[{named}](#{named.lower()})" if named else f"`{kind}`")
    does = str(said.get("description", "")).split("\n\n")[0].replace("\n", " ").replace("|", "\\|")
    return f"| `{method.upper()} {path}` | {', '.join(takes)} | {does} |"


def _asked(told: dict[str, Any], name: str) -> bool:
    """Return whether some endpoint takes this form."""
    wanted = f"#/components/schemas/{name}"
    bodies = (
        given["schema"].get("$ref")
        for methods in told["paths"].values()
        for said in methods.values()
        for given in said.get("requestBody", {}).get("content", {}).values()
    )
    return wanted in bodies


def _fields(name: str, schema: dict[str, Any]) -> list[str]:
    rows = []
    for field, given in schema["properties"].items():
        need = "must be given" if field in schema.get("required", ()) else ""
        said = str(given.get("description", "")).replace("|", "\\|")
        rows.append(f"| `{field}` | {need} | {said} |")
    return [f"### {name}", "", "| field | | meaning |", "| --- | --- | --- |", *rows, ""]


if __name__ == "__main__":
    sys.stdout.write(page())
