"""The report: one HTML page that needs nothing else, for the curator or for everybody."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.numbers import count, many, percent
from shoal.present import words
from shoal.present.charts.svg import style
from shoal.present.colours import sheet
from shoal.present.promises import promises
from shoal.present.report import bucket_parts as buckets
from shoal.present.report import charts, report_tables
from shoal.present.report.attack_page import attack_summary, defence_table
from shoal.present.report.facts import (
    Facts,
    clean,
    counted,
    file_name,
    number,
    part,
    parts,
    public_facts,
    text,
    unit,
    whole,
)
from shoal.present.report.layout import KeyFigure

if TYPE_CHECKING:
    import jinja2

TEMPLATES = Path(__file__).with_name("templates")


def render_report(facts: Mapping[str, Any], *, public: bool) -> str:
    """Return the report of a release as one self-contained HTML page.

    The public page shows nothing but what `public_facts` picks. What is missing from the facts is missing
    from the page.

    >>> page = render_report({"file": "out.csv", "promise": {"k": 5}}, public=True)
    >>> "at least 5 rows" in page
    True
    """
    given = clean(facts)
    if public:
        view, name = _public(public_facts(given)), "public.html"
    else:
        view, name = _internal(given), "internal.html"
    return render_page(name, view)


def render_page(name: str, view: Mapping[str, Any]) -> str:
    """Return the page of a template, with the colours and the style that all pages have."""
    colours = {
        "colours": sheet(":root"),
        "light": sheet(":root").partition("\n")[0],
        "pictures": style(),
    }
    return _templates().get_template(name).render({**view, **colours})


@cache
def _templates() -> jinja2.Environment:
    import jinja2
    import markupsafe

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    # The charts escape their own text; nothing else stays unescaped.
    environment.filters["drawn"] = markupsafe.Markup
    return environment


def _shared(facts: Facts) -> dict[str, Any]:
    name = file_name(facts)
    return {
        "file": name,
        "title": text(facts, "table") or name,
        "fingerprint": text(facts, "fingerprint"),
        "command": None if name is None else f"shoal verify {_path(name)}",
        "certificate": None if name is None else f"{name}.certificate.json",
        "digest": text(facts, "sha256"),
        "made": text(facts, "made"),
        "version": text(facts, "version"),
        "promises": promises(facts),
        "meaning": words.meaning(facts),
    }


def _attack_command(facts: Facts) -> str | None:
    """Return how to try all attacks; some take their time, and a release does not wait for them."""
    name = file_name(facts)
    return None if name is None else f"shoal attack {_path(name)} --source STUDY --report attacks.html"


def _path(name: str) -> str:
    """Return a file's name as a shell takes it; one that starts with a dash is no option."""
    return shlex.quote(f"./{name}" if name.startswith("-") else name)


def _public(facts: Facts) -> dict[str, Any]:
    measured = part(facts, "measured")
    rows, groups, k = whole(measured, "rows"), whole(measured, "groups"), whole(counted(facts), "k")
    figures = []
    if k is not None:
        figures.append(KeyFigure("Smallest group", many(k, unit(facts)), "that look the same"))
        if k > 0:
            figures.append(KeyFigure("Highest chance", f"1 in {count(k)}", "to name a person's row"))
    if rows is not None:
        persons = whole(part(measured, "persons"), "count")
        note = "in the released file" if persons is None else f"of {many(persons, 'person')}"
        figures.append(KeyFigure("Rows", count(rows), note))
    if groups is not None:
        note = f"of {count(rows / groups)} rows on average" if rows and groups else ""
        figures.append(KeyFigure("Groups", count(groups), note))
    return (
        _shared(facts)
        | {
            "figures": figures,
            "measured": report_tables.measured(facts),
            "columns": report_tables.columns(facts, words.PUBLIC_ROLES, "released as they are"),
            "quasi": words.having(facts, "quasi"),
            "formed": None,
            "limits": words.LIMITS,
        }
        | buckets.public_view(facts)
    )


def _internal(facts: Facts) -> dict[str, Any]:
    from shoal.present.report.use_section import use_section  # with numpy

    view = (
        _shared(facts)
        | {
            "warnings": _warnings(facts),
            "figures": _key_figures(facts),
            "done": words.what_was_done(facts),
            "columns": report_tables.columns(facts, words.ROLES, "no role given"),
            "tradeoff": charts.tradeoff(facts),
            "chosen": words.how_chosen(facts),
            "risk": report_tables.risk_table(facts),
            "sizes": charts.sizes(facts),
            "worst": report_tables.worst(facts),
            "standing_out": report_tables.standing_out(facts),
            "attacks": attack_summary(facts),
            "defence": defence_table(facts),
            "attack": _attack_command(facts),
            "households": report_tables.households(facts),
            "losses": charts.attribute_losses(facts),
            "metrics": report_tables.metric_losses(facts),
            "samples": report_tables.samples(facts),
            "hierarchies": report_tables.hierarchies(facts),
            "subgroups": charts.subgroups(facts),
            "classification": charts.classification(facts),
            "use": use_section(facts),
        }
        | buckets.internal_view(facts)
    )
    view["contents"] = [
        (ident, title) for ident, title, needs in _SECTIONS if any(view[n] for n in needs)
    ]
    return view


_SECTIONS = (
    ("done", "What was done", ("done", "columns")),
    ("promised", "What is promised", ("promises",)),
    ("tradeoff", "What privacy costs", ("tradeoff", "chosen")),
    ("risk", "Risk before and after", ("risk", "sizes", "worst", "standing_out", "households")),
    ("attacks", "What attacks find", ("attack",)),
    ("loss", "What was lost", ("losses", "metrics")),
    ("samples", "Rows before and after", ("samples",)),
    ("hierarchies", "How values were generalized", ("hierarchies",)),
    ("suppressed", "Who was suppressed", ("subgroups",)),
    ("use", "What it is still good for", ("use",)),
    ("classification", "Use for prediction", ("classification",)),
    ("verify", "Check and identify the file", ("command", "digest")),
)


def _warnings(facts: Facts) -> list[dict[str, str]] | None:
    """Return the warnings, the worst first; None if there was no audit."""
    broken = [line.promise for line in promises(facts) if line.kept is False]
    found = [
        {"level": "serious", "word": "Serious", "sentence": f"A promise is not kept. {promise}"}
        for promise in broken
    ]
    order = list(words.LEVELS)
    given = []
    for warning in parts(facts, "warnings"):
        level = text(warning, "level") or "warning"
        level = level if level in words.LEVELS else "warning"
        sentence = text(warning, "sentence") or text(warning, "code")
        if sentence:
            given.append({"level": level, "word": words.LEVELS[level], "sentence": sentence})
    found += sorted(given, key=lambda warning: order.index(warning["level"]))
    return found if found or isinstance(facts.get("warnings"), list) else None


def _key_figures(facts: Facts) -> list[KeyFigure]:
    rows, decision = part(facts, "rows"), part(facts, "decision")
    figures = []
    k, promised = whole(counted(facts), "k"), whole(part(facts, "promise"), "k")
    if k is not None:
        note = f"{count(promised)} promised" if promised is not None else "that look the same"
        figures.append(KeyFigure("Smallest group", many(k, unit(facts)), note))
    original, released = whole(rows, "original"), whole(rows, "released")
    if original and released is not None:
        note = f"{count(released)} of {count(original)}"
        figures.append(KeyFigure("Rows released", percent(released / original), note))
    before = number(part(facts, "risk", "before"), "prosecutor_highest")
    after = number(part(facts, "risk", "after"), "prosecutor_highest")
    if after is not None:
        note = f"was {percent(before)}" if before is not None else ""
        figures.append(KeyFigure("Highest risk", percent(after), note))
    share = number(decision, "share")
    if share is not None:
        # A proof about the cost proves nothing about the loss next to it.
        proven = decision.get("optimal") is True and decision.get("cost") is None
        measure = text(decision, "measure") or text(decision, "metric") or "loss"
        figures.append(
            KeyFigure("Information lost", percent(share), f"by {measure}{', proven smallest' * proven}")
        )
    return figures
