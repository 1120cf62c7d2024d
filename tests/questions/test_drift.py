"""A question is said once: what else spells it says the same, and a new field is there at once."""

from __future__ import annotations

import inspect
from dataclasses import fields, make_dataclass
from pathlib import Path
from typing import get_type_hints

import pytest
import typer

from shoal import Negotiator, Study, apply, attack, diff, propose, remake, risk, utility, verify
from shoal.cli.app import COMMANDS
from shoal.cli.options import command
from shoal.cli.reference import of_command, reference
from shoal.data.engines.duckdb.connection import DuckDBSettings
from shoal.describe.units import Units
from shoal.questions.execution import Engines, Execution
from shoal.questions.fields import asked, asks, fields_of
from shoal.questions.kinds import Whole
from shoal.questions.releases import ReleaseQuestion, VerifyQuestion
from shoal.questions.searches import (
    AnonymizeQuestion,
    CompareQuestion,
    FrontierQuestion,
    NegotiateQuestion,
    OptimizeQuestion,
)
from shoal.questions.tables import PopulationOf

ROOT = Path(__file__).parents[2]
ASKED = {
    "frontier": FrontierQuestion,
    "optimize": OptimizeQuestion,
    "anonymize": AnonymizeQuestion,
    "compare": CompareQuestion,
    "negotiate": NegotiateQuestion,
}
BEFORE = {
    "anonymize": "algorithm k l theta t distance entropy-l recursive-l delta k-map population sensitive "
    "suppress metric option seed time-limit tally threads tally-memory min-level save force json",
    "apply": "out seed force json",
    "attack": "source other attack known seed json",
    "compare": "algorithms k l theta t distance entropy-l recursive-l delta k-map population sensitive "
    "suppress metric seed time-limit threads tally-memory min-level plot save force json",
    "demo": "rows seed force",
    "diff": "k json",
    "frontier": "objectives k metric suppress method depth min-k max-k time-limit tally threads "
    "memory-limit temp-directory tally-memory min-level save plot force json",
    "init": "out hierarchies force json",
    "negotiate": "k l heights max-suppressed prefer metric time-limit choose index no-index threads tally "
    "memory-limit temp-directory tally-memory min-level save force json",
    "optimize": "l theta theta-by-frequency k scheme metric sensitive top seed time-limit gap tally "
    "threads tally-memory min-level save force json",
    "release": "solution out into from k point population memory-limit temp-directory tally-memory "
    "time-limit min-level seed spreadsheet-safe sign again force json",
    "risk": "quasi population weights population-size sampling-fraction missing tally-memory time-limit json",
    "tally": "out update threads memory-limit temp-directory tally-memory time-limit min-level force json",
    "utility": "source model indicator predict seed report json",
    "verify": "quasi k sensitive l theta t distance order hierarchy entropy-l recursive-l delta k-map "
    "population key tally-memory time-limit json",
}
"""The options that scripts use, by command."""


def click_command(function):
    app = typer.Typer()
    app.command()(function)
    return typer.main.get_command(app)


def options(function):
    """The options of a command by the name of their parameter."""
    return {
        parameter.name: [*parameter.opts, *parameter.secondary_opts]
        for parameter in click_command(function).params
        if parameter.param_type_name == "option"
    }


def by_name(name):
    return next(one for one in COMMANDS if one.__name__ == name)


class TestCommands:
    @pytest.mark.parametrize("name", BEFORE)
    def test_every_option_that_scripts_use_is_there(self, name):
        there = {option for names in options(by_name(name)).values() for option in names}
        assert {f"--{option}" for option in BEFORE[name].split()} <= there

    @pytest.mark.parametrize("name", BEFORE)
    def test_every_command_takes_what_it_may_use(self, name):
        assert Execution in by_name(name).__dict__["questions"]
        given = {one.option for one in fields_of(Execution) if not one.in_python_only}
        assert given == {
            "--threads",
            "--memory-limit",
            "--temp-directory",
            "--tally-memory",
            "--time-limit",
        }
        assert given <= {names[0] for names in options(by_name(name)).values()}

    @pytest.mark.parametrize("name", ASKED)
    def test_an_option_shows_the_meaning_and_the_default_of_its_field(self, name):
        shown = {one.name: one for one in click_command(by_name(name)).params}
        for one in fields_of(ASKED[name]):
            if one.in_python_only or one.name == "limits":
                assert one.name not in shown
                continue
            option = shown[one.name]
            assert option.help.startswith(one.meaning.removesuffix("."))
            assert option.required == one.required
            plain = one.default
            if isinstance(plain, tuple):
                plain = ",".join(plain) or None
            assert option.default in {plain, str(plain)} or (option.multiple and option.default is None)

    def test_a_flag_that_is_on_can_be_turned_off(self):
        assert options(by_name("negotiate"))["index"] == ["--index", "--no-index"]
        assert options(by_name("negotiate"))["force"] == ["--force"]


class TestPython:
    @pytest.mark.parametrize("name", ASKED)
    def test_a_method_takes_the_fields_of_its_question(self, name):
        method = getattr(Study, name)
        own, *given = inspect.signature(method).parameters.values()
        assert own.name == "self"
        assert given == list(inspect.signature(ASKED[name]).parameters.values())
        for one in fields_of(ASKED[name]):
            assert f"{one.name}: {one.told}" in method.__doc__

    @pytest.mark.parametrize("function", [verify, risk, attack, utility, diff, propose, remake, apply])
    def test_a_function_takes_what_the_execution_of_every_command_takes(self, function):
        given = inspect.signature(function).parameters
        for name, parameter in inspect.signature(Execution).parameters.items():
            assert given[name] == parameter

    @pytest.mark.parametrize("function", [Study.__init__, Study.open])
    def test_what_may_be_used_is_said_alike_everywhere(self, function):
        given = inspect.signature(function, eval_str=True).parameters
        for one in fields_of(Engines):
            assert given[one.name].default == one.default
            said = inspect.signature(Engines, eval_str=True).parameters[one.name].annotation
            assert given[one.name].annotation == said

    def test_what_duckdb_may_use_is_all_of_it_but_the_tally(self):
        said = inspect.signature(Engines, eval_str=True).parameters
        settings = {name: said[name].annotation for name in said if name != "tally_memory"}
        assert get_type_hints(DuckDBSettings) == settings

    @pytest.mark.parametrize(
        ("function", "question"),
        [
            (Negotiator.ask, NegotiateQuestion),
            (Negotiator.explain, NegotiateQuestion),
            (Study.release, ReleaseQuestion),
        ],
    )
    def test_what_has_a_signature_of_its_own_says_the_same(self, function, question):
        given = inspect.signature(function).parameters
        for name, parameter in inspect.signature(question).parameters.items():
            assert given[name] == parameter


class TestRequests:
    @pytest.mark.parametrize("name", ["frontier", "optimize", "anonymize", "negotiate"])
    def test_a_request_takes_the_fields_of_its_question(self, name):
        models = pytest.importorskip("shoal.web.api.asked")
        model = getattr(models, f"{name.capitalize()}Asked")
        said = {one.name: one for one in fields_of(ASKED[name]) if not one.in_python_only}
        assert model.model_fields.keys() - {"population"} == said.keys()
        for field, one in said.items():
            given = model.model_fields[field]
            assert given.description.startswith(one.told)
            assert given.is_required() == one.required
            if not one.required:
                default = model.model_fields[field].default
                made = {"algorithm": "flash"} if name == "anonymize" else {}
                # The default of a request asks what the default of the question does.
                promised = {"k": 2} if name in {"optimize", "anonymize"} and field != "k" else {}
                if field == "k" and promised == {} and name in {"optimize", "anonymize"}:
                    continue
                without = ASKED[name](**made, **promised)
                with_it = ASKED[name](**made, **promised, **{field: default})
                assert without == with_it

    def test_criteria_of_populations_are_taken(self):
        models = pytest.importorskip("shoal.web.api.asked")
        asked = models.AnonymizeAsked(algorithm="flash", k_map=3, delta=[0, 0.5], population="0123abcd")
        assert asked.model_dump()["k_map"] == 3

    def test_a_release_is_asked_for_as_its_question_says(self):
        models = pytest.importorskip("shoal.web.api.asked")
        for one in (*fields_of(ReleaseQuestion), *fields_of(PopulationOf)):
            if one.name == "secret":  # a request names no files of the server
                assert one.name not in models.ReleaseAsked.model_fields
            else:
                default = [] if one.default == () else one.default  # JSON has lists
                assert models.ReleaseAsked.model_fields[one.name].default == default

    def test_whom_rows_stand_for_is_said_as_in_a_study(self):
        models = pytest.importorskip("shoal.web.api.models")
        assert models.UnitsGiven.model_fields.keys() == {one.name for one in fields(Units)}


class TestPages:
    def test_what_the_sliders_ask_for_is_a_question(self):
        pytest.importorskip("nicegui")
        from shoal.search.negotiation.request import LatticeShape
        from shoal.web.pages.negotiation.wish import NegotiationWish

        shape = LatticeShape(("age", "zip"), (0, 0), (2, 3), 500, ("ill",))
        wish = NegotiationWish.first(shape)
        assert NegotiateQuestion(**wish.asked()) == NegotiateQuestion(
            k=5, heights={"age": 2, "zip": 3}, max_suppressed=5
        )

    def test_what_the_controls_of_the_best_cut_ask_for_is_a_question(self):
        pytest.importorskip("nicegui")
        from shoal.web.pages.optimizing.optimize_wish import OptimizeWish

        kept = {"sensitive": "ill", "theta": "1/3", "own": {"flu": "1/2"}, "k": 4, "metric": "DM"}
        wish = OptimizeWish.reopened(kept, ["ill"], ["LM", "DM"], 100)
        assert OptimizeQuestion(**wish.asked()) == OptimizeQuestion(
            sensitive=["ill"], theta="1/3", limits={"flu": "1/2"}, k=4, metric="DM"
        )


class TestDocs:
    def test_the_reference_is_what_is_made_now(self):
        written = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
        assert written == reference(), "make it again: python -m shoal.cli.reference > docs/reference.md"


class TestOneEdit:
    """A field that is added to a question is an option, a keyword, a part of a request, and in the docs."""

    FRESH = make_dataclass(
        "FreshQuestion",
        [("freshness", "int | None", asked("How fresh it is.", Whole(2, 9), default=3))],
        bases=(FrontierQuestion,),
        frozen=True,
        kw_only=True,
    )

    def made(self):
        seen = []

        def fresh(question):
            """Ask something fresh."""
            seen.append(question)

        fresh.__annotations__ = {"question": self.FRESH}
        return command(fresh), seen

    def test_it_is_an_option(self):
        function, seen = self.made()
        assert options(function)["freshness"] == ["--freshness"]
        click_command(function).main(["--freshness", "5", "--metric", "DM"], standalone_mode=False)
        assert (seen[0].freshness, seen[0].metric) == (5, "DM")
        click_command(function).main([], standalone_mode=False)
        assert seen[1].freshness == 3

    def test_it_is_a_keyword(self):
        class Asked:
            @asks(self.FRESH)
            def fresh(self, question):
                """Return what is fresh."""
                return question.freshness

        assert Asked().fresh(freshness=7) == 7
        assert inspect.signature(Asked.fresh).parameters["freshness"].default == 3
        assert "freshness: How fresh it is." in Asked.fresh.__doc__

    def test_it_is_a_part_of_a_request(self):
        models = pytest.importorskip("shoal.web.api.asked")
        model = models.model_of("Fresh", self.FRESH)
        assert model(freshness=4).freshness == 4
        field = model.model_json_schema()["properties"]["freshness"]
        assert (field["default"], field["description"]) == (3, "How fresh it is.")
        assert (field["minimum"], field["maximum"]) == (2, 9)

    def test_it_is_in_the_docs(self):
        function, _ = self.made()
        assert "| `--freshness` | `freshness` | `3` | How fresh it is. |" in of_command(function)


def test_what_is_asked_of_any_table_is_what_studies_promise():
    promised = {one.name: one for one in fields_of(AnonymizeQuestion)}
    for one in fields_of(VerifyQuestion):
        if one.name in promised and one.name not in {"sensitive", "distance"}:
            assert one == promised[one.name]
