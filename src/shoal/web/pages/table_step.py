"""The step Table: open one, and see at once what is in it."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Callable
from functools import partial

from nicegui import ui

from shoal.numbers import share_of
from shoal.web.pages import parts
from shoal.web.pages.controls.drop_zone import DropZone
from shoal.web.pages.frame import Frame
from shoal.web.server.server_limits import in_words
from shoal.web.workspace.workspace import Workspace

ACCEPT = (
    ".shoal,.csv,.tsv,.txt,.gz,.parquet,.pq,.arrow,.feather,.ipc,.xlsx,.ods"
    ",.sav,.zsav,.dta,.xpt,.sas7bdat"
)
MOST_CELL = 60
"""Characters shown of a cell in a sample row."""


async def build(work: Workspace | None, frame: Frame) -> None:
    """Fill the content area."""
    if work is None:
        parts.heading(
            "Which table do you want to release?",
            "Shoal reads it here, on this machine, and sends nothing anywhere. "
            + (
                "Everything is removed when the server stops, so save your project before."
                if frame.session.kept is None
                else "Your work is kept when the server stops, and is here again when it is back."
            ),
        )
        _open_another(frame)
        return
    with ui.element("div").classes("title-row"):
        parts.heading(
            work.bench.state.title, "What is in the table, before you decide anything about it."
        )
        parts.button("Rename", partial(_rename, work, frame), kind="quiet", icon="edit")
    _facts(work)
    for notice in work.bench.look.notices:
        parts.hint(notice[:1].upper() + notice[1:])
    _columns(work)
    _first_rows(work)
    _study(work, frame)
    with parts.actions():
        frame.next_step()
        ui.link("Take all as proposed, and see what privacy costs", frame.address("negotiate"))
    parts.label("Another table", "h2").classes("again")
    _open_another(frame)


def _facts(work: Workspace) -> None:
    look = work.bench.look
    cells = look.rows * len(look.columns)
    missing = sum(profile.missing for profile in look.profiles)
    with parts.panel(), parts.facts():
        parts.fact("Rows", f"{look.rows:,}")
        parts.fact("Columns", f"{len(look.columns):,}")
        parts.fact("Missing values", f"{missing:,}", f"{share_of(missing, cells)} of all cells")
        alone = sum(profile.once == look.rows for profile in look.profiles)
        parts.fact("Unique columns", f"{alone:,}", "every value occurs once", "unique column")


def _columns(work: Workspace) -> None:
    rows = []
    for name in work.bench.look.columns:
        told = work.bench.look.kind(name)
        missing = int(told["missing"])
        lowest, highest = told["lowest"], told["highest"]
        if told["kind"] == "code":  # leading zeros are part of it
            profile = work.bench.look.profile(name)
            lowest, highest = profile.first, profile.last
        rows.append(
            (
                name,
                told["kind"],
                f"{told['distinct']:,}",
                f"{missing:,} ({share_of(missing, work.bench.look.rows)})" if missing else "0",
                f"{told['unique']:,}",
                _shown(lowest),
                _shown(highest),
            )
        )
    headers = ("Column", "Type", "Different values", "Missing", "Occur once", "Lowest", "Highest")
    with parts.panel("Columns"):
        parts.table("Columns of the table", headers, rows, numbers=(2, 3, 4))


def _shown(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.15g}"
    return _short(str(value))


def _short(text: str) -> str:
    return text if len(text) <= MOST_CELL else text[: MOST_CELL - 1] + "…"


def _first_rows(work: Workspace) -> None:
    if not work.bench.look.samples:
        return
    rows = [
        [None if cell is None else _short(cell) for cell in row[:MOST_CELL]]
        for row in work.bench.look.samples
    ]
    shown = parts.details(f"{len(rows)} rows as they are in the table", opened=True)
    with parts.panel("First rows"), shown:
        parts.table("First rows", work.bench.look.columns[:MOST_CELL], rows)


def _study(work: Workspace, frame: Frame) -> None:
    """Let a study file decide everything."""

    async def taken(_: str) -> None:
        frame.refresh()
        frame.say("All columns are now as the study says. Undo restores what was before.")

    with parts.panel("Do you have a study of this table?"):
        parts.note("Shoal takes its roles and hierarchies. Columns it does not name are never released.")
        DropZone(
            f"/api/studies/{work.key}/decisions",
            "Open a study: drop its YAML file and its hierarchies here, or choose them",
            taken,
            frame.refuse,
            accept=".yaml,.yml,.csv,.txt,.tsv",
            form="files",
        )


def _rename(work: Workspace, frame: Frame) -> None:
    async def rename(title: str) -> None:
        if await frame.decide(work.decisions.set_title, title):
            frame.refresh()

    about = "The title is shown here and in the header; it is not a file name."
    title = work.bench.state.title
    field = parts.ask_name("What is the table called?", "Title", title, "Rename", rename, about=about)
    field.props("maxlength=100")


def _open_another(frame: Frame) -> None:
    """The three ways to open a table, and the tables that are open."""
    limits = frame.session.limits

    async def taken(key: str) -> None:
        frame.go("table", frame.session.studies[key])

    async def make(one: Callable[..., Workspace]) -> None:
        waiting.set_visibility(True)
        work = await frame.attempt(frame.session.make, partial(one, limits=limits))
        waiting.set_visibility(False)
        if work is not None:
            frame.go("table", work)

    DropZone(
        "/api/studies",
        "Drop a table here, or choose one",
        taken,
        frame.refuse,
        note="CSV, Excel (the first sheet), SPSS, Stata, SAS, Parquet or Arrow, and projects that you saved "
        f"(.shoal); up to {in_words(limits.upload_bytes)} and {limits.rows:,} rows.",
        accept=ACCEPT,
    )
    with parts.actions():
        main = "main" if frame.work is None else "plain"
        built_in = partial(make, Workspace.of_built_in)
        parts.button("Try the built-in data", built_in, icon="science", kind=main)
        if frame.given_study is not None:
            given = partial(make, partial(Workspace.of_study, frame.given_study))
            parts.button(f"Open {frame.given_study.name}", given, icon="folder_open")
        waiting = ui.spinner(size="1.5rem").props('role=status aria-label="Opening the table"')
        waiting.set_visibility(False)
    parts.note(
        "The built-in data are 10,000 made-up hospital discharges; the names, ages, postal codes and "
        "diagnoses are nobody's."
    )
    _opened(frame)


def _opened(frame: Frame) -> None:
    studies = list(frame.session.studies.values())
    if not studies:
        return
    with parts.panel("Open tables"), ui.element("ul").classes("plain-list"):
        for each in studies:
            with ui.element("li").classes("actions"):
                shown = f"{each.bench.state.title} ({each.bench.look.rows:,} rows)"
                if each is frame.work:
                    parts.label(f"{shown}, shown here")
                else:
                    ui.link(shown, frame.address("table", each))
                close = parts.button("Close", partial(_ask_to_close, frame, each), kind="quiet")
                parts.named(close, f"Close {each.bench.state.title}")


def _ask_to_close(frame: Frame, work: Workspace) -> None:
    with parts.dialog(f"Close {work.bench.state.title}?") as dialog:
        parts.text("This removes the table and all decisions about it. It cannot be undone.")

        async def close() -> None:
            dialog.close()
            # This ends open questions, so it must not wait for a turn.
            await to_thread(frame.session.delete, work.key)
            if frame.work is work:
                frame.work = None
                frame.go("table", next(reversed(frame.session.studies.values()), None))
            else:
                frame.refresh()

        with parts.actions():
            parts.button("Close it", close, kind="main")
            parts.button("Keep it", dialog.close)
