"""What notebooks show of the risk of a table."""

from __future__ import annotations

from shoal.answering.risk_of_table import TableRisk
from shoal.assess.risk import SampleRisk
from shoal.numbers import amount, percent
from shoal.present.notebook import html_of, kit


def risk_html(found: TableRisk) -> str:
    """Return the attackers' chances, the group sizes, and which columns make people stand out."""
    whose = "" if found.persons is None else f", {found.persons:,} persons"
    return kit.page(
        kit.words(f"{found.table} by {', '.join(found.quasi)}{whose}"),
        html_of(found.measured),
        "" if found.sample is None else _sample(found.sample),
        "" if found.households is None else kit.table(found.households.as_table()),
        kit.table(found.combinations.as_table()),
        "" if found.suda is None else kit.table(found.suda.as_table()),
        kit.sentences(found.notices),
    )


def _sample(sample: SampleRisk) -> str:
    """Return the risk from somebody who knows the population, but not who is in the sample."""
    alone = f"{percent(sample.unique.rule)} of it, estimated by {sample.unique.chosen}"
    told = {
        "the sample stands for": f"{amount(sample.population)} persons ({sample.drawn})",
        "highest chance of a row": percent(sample.highest),
        "rows expected to be found": amount(sample.expected),
        "unique in the population": alone,
    }
    who = kit.words("For somebody who knows the population, but not who is in the sample:")
    return who + kit.facts(told)
