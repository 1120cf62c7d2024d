"""The small checker of schemas says what the library does, of certificates changed in any way."""

from __future__ import annotations

import copy

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal.documents import first_fault, schema_named
from tests.examples import examples

TWIN = jsonschema.Draft202012Validator(schema_named("certificate"))
DESCRIBING = {"$schema", "$defs", "title", "description"}

JUNK = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.sampled_from([1.0, 2.5, 1e300, 10**30])
    | st.sampled_from(["", "1/2", "-1/2", "1/2 ", "a", "0" * 64, "1" * 1001, "k", "equal"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["k", "l", "ill", "kind", "x", "rows"]), inner, max_size=3)
    ),
    max_leaves=5,
)


def places(value, path=()):
    """Every place in a document."""
    yield path
    inside = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    for name, inner in inside:
        yield from places(inner, (*path, name))


@st.composite
def changed(draw, document):
    """A document in which something was put in, taken out or put twice, once or twice."""
    found = copy.deepcopy(document)
    for _ in range(draw(st.integers(1, 2))):
        path = draw(st.sampled_from(list(places(found))[1:] or [()]))
        if not path:
            return draw(JUNK)
        *above, name = path
        holder = found
        for step in above:
            holder = holder[step]
        what = draw(st.sampled_from(["set", "set", "drop", "add"]))
        if what == "drop":
            del holder[name]
        elif what == "add" and isinstance(holder, dict):
            holder[draw(st.sampled_from(["k", "x", "k_map", "theta", "by_frequency"]))] = draw(JUNK)
        elif what == "add":
            holder.append(copy.deepcopy(holder[name]))
        else:
            holder[name] = draw(JUNK)
    return found


@settings(max_examples=examples(300), deadline=None)
@given(st.data())
def test_the_checker_and_the_library_agree_of_changed_certificates(certified, data):
    document = data.draw(changed(certified))
    assert (first_fault(document, schema_named("certificate")) is None) == TWIN.is_valid(document)


def test_a_certificate_as_it_is_written_is_valid_to_both(certified):
    assert first_fault(certified, schema_named("certificate")) is None
    assert TWIN.is_valid(certified)


def words_of(schema):
    if isinstance(schema, dict):
        for word, inner in schema.items():
            if word in {"properties", "$defs"}:
                for one in inner.values():
                    yield from words_of(one)
            else:
                yield word
                yield from words_of(inner) if word not in {"required", "enum", "const"} else ()
    elif isinstance(schema, list):
        for one in schema:
            yield from words_of(one)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"promise": {}}, "promise is empty"),
        ({"promise": {"about": ["ill"]}}, "promise has no k"),
        ({"promise": {"k": 0}}, "promise.k is 0, less than 1"),
        ({"promise": {"k": -5}}, "promise.k is -5"),
        ({"promise": {"k": True}}, "promise.k is true, not integer"),
        ({"promise": {"k": "4"}}, "promise.k is '4', not integer"),
        ({"promise": {"k": 4, "kk": 2}}, "promise.kk is not known"),
        ({"promise": {"theta": {}}}, "promise.theta is empty"),
        ({"promise": {"t": {"ill": "1/2\n"}}}, "promise.t.ill is '1/2\\n'"),
        ({"quasi": []}, "quasi has fewer than 1"),
        ({"quasi": ["town", "town"]}, "quasi names 'town' twice"),
        ({"promise": {"population": {"groups": [[["a"], "3"]]}, "k": 1}}, "promise.population"),
        ({"a.b": 1}, "'a.b' is not known"),
    ],
)
def test_a_fault_is_told_with_its_place(certified, change, said):
    assert said in str(first_fault(certified | change, schema_named("certificate")))
