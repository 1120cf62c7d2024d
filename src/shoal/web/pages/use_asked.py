"""The curator's own models and indicators on the step Use: asked for, and shown."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from nicegui import ui

from shoal.assess.utility.indicators import Indicator
from shoal.assess.utility.regressions import Model, read_formula
from shoal.describe.specification import Role
from shoal.errors import InputError
from shoal.present.charts.utility_charts import model_picture
from shoal.present.report.utility_page import indicator_table, model_sentence
from shoal.web.pages import parts
from shoal.web.pages.controls.drop_zone import DropZone
from shoal.web.pages.figures import ShownPicture
from shoal.web.pages.frame import Frame, upper_first
from shoal.web.server.sentences import sentence
from shoal.web.workspace.workspace import Workspace

WIDE = 520
MOST_MODELS = 20
MOST_SQL = 100_000
"""Characters of all indicators; the API takes as many."""
WISH = "use"
LEGEND = (
    '<ul class="legend" aria-hidden="true"><li><i class="b2"></i>before</li>'
    '<li><i class="b0"></i>after</li></ul>'
)


class OwnAsked:
    """The fields for models and for indicators; `measure` is called when they are to be measured."""

    def __init__(self, work: Workspace, frame: Frame, measure: Callable[[], Awaitable[None]]) -> None:
        self.work, self.frame = work, frame
        kept = self.kept
        with parts.panel(), parts.details("Your own models and indicators", opened=bool(kept)):
            self.models = ui.textarea("Models, one a line", value="\n".join(kept.get("model", ())))
            self.models.props(f'outlined autogrow hint="{_example(work)}"').classes("wide-area")
            parts.note(
                "A regression is fitted to the original and to the released rows, and you see how far its "
                "coefficients agree."
            )
            self.sql = ui.textarea("Indicators, in SQL", value=kept.get("indicator", ""))
            self.sql.props("outlined autogrow spellcheck=false").classes("wide-area code")
            parts.note(
                "Each statement is a SELECT from the table data, such as SELECT count(*) AS rows FROM data. "
                "Of a column age with numbers, age_low, age_mid and age_high are the least, the middle and "
                "the largest number that its label may stand for. No statement reaches a file or the network."
            )
            DropZone(
                "",
                "Drop a file of SQL here, or choose one",
                self._read,
                frame.refuse,
                accept=".sql,.txt",
                form="read",
                most=MOST_SQL,
            )
            with parts.actions():
                self.button = parts.button("Measure these too", measure, kind="main")

    @property
    def kept(self) -> dict[str, Any]:
        """What was asked for last."""
        return dict(self.work.wishes.get(WISH, {}))

    def keep(self, asked: Mapping[str, Any]) -> None:
        """Keep what is asked for, since it could be measured."""
        self.work.wishes.keep(**{WISH: dict(asked)})

    def enable(self, enabled: bool) -> None:
        """Let the button be pressed, or not."""
        self.button.set_enabled(enabled)

    async def _read(self, text: str) -> None:
        self.sql.set_value(text)

    def given(self) -> dict[str, Any] | None:
        """Return what the fields ask for; None if something in them is no model, which is then said."""
        models = [line.strip() for line in str(self.models.value or "").splitlines() if line.strip()]
        sql = str(self.sql.value or "")
        trouble = _fault(models, [*self.work.bench.state.columns])
        self.models.error = trouble
        self.sql.error = (
            f"More than {MOST_SQL:,} characters; ask for less at once." if len(sql) > MOST_SQL else None
        )
        if trouble or self.sql.error:
            return None
        return {"model": models, "indicator": sql} if models or sql.strip() else {}


def _fault(models: list[str], columns: list[str]) -> str | None:
    """Return what is wrong with the first model that is none."""
    if len(models) > MOST_MODELS:
        return f"{len(models)} models; ask for at most {MOST_MODELS} at once."
    for formula in models:
        try:
            read_formula(formula, columns)
        except InputError as problem:
            return upper_first(sentence(problem))
    return None


def _example(work: Workspace) -> str:
    """Return a model of this study's own columns, as an example."""
    first = (*work.bench.having(Role.CLASS), *work.bench.having(Role.SENSITIVE))[:1]
    names = [name for name in (*first, *work.bench.quasi[:2]) if name.isidentifier()]
    if len(names) < 2:
        return "such as income ~ age + education"
    return f"such as {names[0]} ~ {' + '.join(names[1:])}"


def show_own(found: Mapping[str, Any]) -> None:
    """Show the models and indicators that were asked for."""
    for one in found["models"]:
        model = Model.from_dict(one)
        with parts.panel(model.formula, model_sentence(model)):
            ShownPicture(
                model_picture(model, WIDE),
                legend=LEGEND,
            )
    if found["indicators"]:
        with parts.panel("Your indicators", "What each statement gives on both tables."):
            for one in found["indicators"]:
                table = indicator_table(Indicator.from_dict(one))
                parts.label(table.caption, "h3")
                parts.table(table.caption, table.head, table.rows, numbers=table.numeric)
                if table.more:
                    parts.note(f"And {table.more:,} more lines.")
