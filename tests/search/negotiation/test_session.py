"""Sessions over studies: what they count agrees with what a release does."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import shoal
from shoal import InputError, NoSolutionError, Study
from shoal.describe.quantities import parse_levels
from shoal.running.watching import watch
from shoal.search.negotiation import starting as opening
from shoal.verification import verify_table
from tests.examples import examples

JOBS = ["cook", "nurse", "clerk", None]


@st.composite
def tables(draw):
    """Rows of three columns, the last two sensitive, with missing values."""
    row = st.tuples(
        st.integers(20, 27), st.sampled_from("abcd"), st.sampled_from(JOBS), st.sampled_from(JOBS)
    )
    rows = draw(st.lists(row, min_size=1, max_size=14))
    ages, places, jobs, more = zip(*rows, strict=True)
    return pa.table({"age": [str(a) for a in ages], "place": places, "job": jobs, "more": more})


def study_of(table, sensitive=("job",)):
    quasi = {
        "age": {"intervals": {"widths": [2, 4]}},
        "place": {"*": {"ab": ["a", "b"], "cd": ["c", "d"]}},
    }
    return Study(table, quasi=quasi, sensitive=sensitive)


@settings(max_examples=examples(60))
@given(tables(), st.sampled_from([("job",), ("job", "more")]), st.data())
def test_offers_suppress_what_their_release_suppresses(table, sensitive, data):
    k = data.draw(st.one_of(st.none(), st.integers(1, 6)))
    l = data.draw(st.integers(1, 4)) if k is None else data.draw(st.one_of(st.none(), st.integers(1, 4)))
    heights = data.draw(st.sampled_from([{}, {"age": 0}, {"age": 1, "place": 1}]))
    with study_of(table, sensitive) as study:
        answer = study.negotiate(k=k, l=l, heights=heights, max_suppressed=data.draw(st.integers(0, 1)))
        for _, offer in answer.rows():
            release = study.release(offer)
            assert release.treatment.suppressed_rows == offer.suppressed
            frame = release.frame()  # it is verified on the way
            assert frame.num_rows == table.num_rows - offer.suppressed
            promise = offer.decision().promise
            assert verify_table(frame, promise, ["age", "place"], sensitive).holds


@settings(max_examples=examples(40))
@given(tables(), st.data())
def test_an_explanation_names_exactly_what_is_suppressed(table, data):
    k, l = data.draw(st.integers(1, 6)), data.draw(st.one_of(st.none(), st.integers(1, 3)))
    with study_of(table) as study:
        negotiator = study.negotiator()
        explained = negotiator.explain(k=k, l=l, heights={"place": 1}, most=100)
        assert explained.node == {"age": 3, "place": 1}
        assert sum(each.rows for each in explained.classes) == explained.suppressed
        assert len(explained.classes) == explained.blocked
        for each in explained.classes:
            assert each.rows < k or each.distinct < (l or 0)
        by_place = sum(value.suppressed for value in explained.values if value.attribute == "place")
        places = {place[0] in "ab" for place in table["place"].to_pylist()}
        assert by_place == (explained.suppressed if len(places) > 1 else 0)
        assert explained.holds is (explained.suppressed == 0)
        assert explained.steps == negotiator.neighbours(explained.node, k=k, l=l)
        assert json.loads(json.dumps(explained.to_dict()))["suppressed"] == explained.suppressed


def test_the_answer_of_the_contract(study_file):
    with Study.open(study_file) as study:
        answer = study.negotiate(k=2, heights={"age": 2}, max_suppressed=1)
    document = answer.to_dict()
    assert list(document) == [
        "exact", "suggestions", "prefer", "metric", "certified", "visited", "milliseconds"
    ]  # fmt: skip
    assert list(document["exact"]) == ["node", "height", "k", "suppressed", "loss", "share"]
    # Five rows show five of six ages, and two of four zips; one row is suppressed.
    loss = 5 * 4 / 5 + 5 * 1 / 3 + 2
    assert document["exact"] == {
        "node": {"age": 2, "zip": 1}, "height": 3, "k": 2, "suppressed": 1,
        "loss": pytest.approx(loss), "share": pytest.approx(loss / 12),
    }  # fmt: skip
    assert json.loads(answer.to_json()) == document


def test_suggestions_as_the_contract_shows_them(study_file):
    with Study.open(study_file) as study:
        document = study.negotiate(k=4, l=2, heights={"age": 1, "zip": 1}).to_dict()
    assert document["exact"] is None
    assert list(document["suggestions"]) == ["suppression", "height", "privacy"]
    assert list(document["suggestions"]["height"]) == [
        "node", "height", "k", "l", "suppressed", "loss", "share"
    ]  # fmt: skip
    # Every row has l only in one class of all.
    assert document["suggestions"]["height"]["share"] == 1
    assert "reason" not in document or document["reason"]


def test_levels_of_the_study_bound_the_lattice(study_file):
    text = study_file.read_text()
    study_file.write_text(
        text.replace("hierarchy: zip.csv", "hierarchy: zip.csv, min_level: 1, max_level: 2")
    )
    with Study.open(study_file) as study:
        negotiator = study.negotiator()
        assert negotiator.map(1).shape == (5, 2)
        assert negotiator.ask(k=1).exact.node == {"age": 0, "zip": 1}
        for level in (0, 3):
            with pytest.raises(
                InputError, match=f"'zip' has no level {level}; its levels in this study are 1 to 2"
            ):
                negotiator.ask(k=2, heights={"zip": level})


def test_a_column_that_is_quasi_and_sensitive_cannot_be_diverse():
    table = pa.table({"age": ["20", "21"], "job": ["a", "b"]})
    quasi = {"age": {"intervals": {"widths": [2]}}, "job": {"*": ["a", "b"]}}
    with Study(table, quasi=quasi, sensitive="job") as study:
        assert study.negotiate(k=2).exact is not None
        with pytest.raises(InputError, match="'job' is quasi and sensitive"):
            study.negotiate(k=2, l=2)


def test_without_a_sensitive_column_there_is_no_l():
    table = pa.table({"age": ["20"], "place": ["a"]})
    with (
        study_of(table, ()) as study,
        pytest.raises(InputError, match="give a column the role sensitive"),
    ):
        study.negotiate(l=2)


def test_nothing_near_says_why():
    table = pa.table(
        {"age": ["20", "21"], "place": ["a", "b"], "job": pa.array([None, None], pa.string())}
    )
    with study_of(table) as study:
        answer = study.negotiate(l=1)
    assert answer.rows() == []
    assert "l of 1: no class of any node has more than 0 values" in answer.reason
    with pytest.raises(NoSolutionError, match="no suggestion for height"):
        answer.choose("height")


def test_releases_take_answers_and_suggestions(study_file):
    with Study.open(study_file) as study:
        exact = study.negotiate(k=2, max_suppressed=1)
        assert study.release(exact).certificate["promise"] == {"k": 2}
        assert study.release(exact.to_dict()).certificate["promise"] == {"k": 2}
        near = study.negotiate(k=6, heights={"age": 0})
        with pytest.raises(InputError, match="choose one of height, privacy"):
            study.release(near)
        with pytest.raises(InputError, match="choose suppression, height or privacy"):
            study.release(near.to_dict())
        assert study.release(near.suggestions.height).certificate["promise"] == {"k": 6}
        assert study.release(near.decision("privacy")).decision.details == {
            "method": "negotiation",
            "certified": True,
            "loss": 0.0,
            "share": 0.0,
        }
        with pytest.raises(InputError, match="did you mean height"):
            near.choose("heigth")


def test_large_lattices_are_not_indexed(study_file, monkeypatch):
    monkeypatch.setattr(opening, "MOST_NODES", 3)
    with Study.open(study_file) as study:
        negotiator = study.negotiator()
        assert type(negotiator.histograms).__name__ == "HistogramsOnDemand"
        assert not study_file.with_name("study.yaml.index").exists()
        assert negotiator.ask(k=2, max_suppressed=1).exact.node == {"age": 2, "zip": 1}
        assert negotiator.ask(k=2, max_suppressed=1, prefer="height").exact.node == {"age": 1, "zip": 2}


def test_an_index_that_takes_too_long_is_not_made(study_file, monkeypatch):
    def late(self, threads):
        assert watch().left < 4000
        raise watch().over("the work")

    monkeypatch.setattr("shoal.search.negotiation.bottom_classes.BottomClasses.index", late)
    with Study.open(study_file) as study:
        answer = study.negotiate(k=2, max_suppressed=1, time_limit=7000)
        assert (answer.exact.node, answer.certified) == ({"age": 2, "zip": 1}, True)
    assert not study_file.with_name("study.yaml.index").exists()


def test_losses_that_fit_into_no_index_are_counted(study_file, monkeypatch):
    with Study.open(study_file) as study:
        told = study.negotiator(index=False).ask(k=2, max_suppressed=1)
        monkeypatch.setattr("shoal.search.negotiation.bottom_classes.FITS", 1)
        negotiator = study.negotiator()
        assert not negotiator.histograms.index.priced
        assert negotiator.ask(k=2, max_suppressed=1).exact == told.exact
    with Study.open(study_file) as study:  # the index that was saved knows no losses either
        negotiator = study.negotiator()
        assert not negotiator.histograms.index.priced
        assert negotiator.ask(k=2, max_suppressed=1).exact == told.exact


def test_a_map_of_too_many_nodes_is_refused(study_file, monkeypatch):
    monkeypatch.setattr("shoal.search.negotiation.negotiator.MOST_MAPPED", 3)
    with (
        Study.open(study_file) as study,
        pytest.raises(InputError, match=r"a map of 20 nodes .* 3 nodes"),
    ):
        study.negotiator().map(2)


def test_notebooks_show_answers_and_explanations():
    table = pa.table({"<b>": ["x", "y", "y"]})
    with Study(table, quasi={"<b>": {"*": ["x", "y"]}}) as study:
        negotiator = study.negotiator()
        shown = negotiator.ask(k=2)._repr_html_()
        assert "The exact answer" in shown
        assert "&lt;b&gt;" in shown
        assert "<b>" not in shown
        nearest = negotiator.ask(k=9)._repr_html_()
        assert "k of 9 is more than the table" in nearest
        explained = negotiator.explain(k=2, heights={"<b>": 0})._repr_html_()
        assert "1 suppressed classes" in explained
        assert "<b>" not in explained


def heights_of(text, known=()):
    return parse_levels(text, known, "height")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("age", "'age' has no height"),
        ("age=", "the height of 'age' is ''"),
        ("age=-1", "the height of 'age' is '-1'"),
        ("age=1.5", "the height of 'age' is '1.5'"),
        ("age=1,age=2", "given twice"),
        ("age=1,zip", "'zip' has no height"),
    ],
)
def test_heights_that_cannot_be_read_are_refused(text, words):
    with pytest.raises(InputError) as refused:
        heights_of(text)
    assert words in str(refused.value)


def test_heights_may_name_anything():
    assert heights_of("") == {}
    assert heights_of(" age = 1 , a=b=2, c,d=3") == {"age": 1, "a=b": 2, "c,d": 3}


def test_heights_name_known_attributes_whatever_they_are_called():
    known = ["a=1,b", "a", "b", "a=x, y=z"]
    assert heights_of("a=x, y=z = 3, b=2", known) == {"a=x, y=z": 3, "b": 2}
    assert heights_of("a=1,b=2", known) == {"a=1,b": 2}  # the longest name that fits
    assert heights_of("b=2,a=1", known) == {"b": 2, "a": 1}
    assert heights_of("c=1,a=x, y=z=3", known) == {"c": 1, "a=x, y=z": 3}
    with pytest.raises(InputError, match="the height of 'a' is 'x'"):
        heights_of("a=x,b=1", known)


def test_the_names_are_public():
    assert shoal.Answer is not None
    assert shoal.Offer is not None
