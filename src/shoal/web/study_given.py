"""A study that comes as texts: its YAML, and the hierarchy files it names; names are never used as paths."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from shoal.errors import InputError, show
from shoal.hierarchy import Hierarchy, read_hierarchy
from shoal.specification import Specification
from shoal.study_file import read_study_file

ENDINGS = (".yaml", ".yml")


def read_given(files: Mapping[str, str], scratch: Path) -> Specification:
    """Return what a study says; `files` are texts by name, `scratch` a private folder to read them in."""
    named = [name for name in files if name.lower().endswith(ENDINGS)]
    if len(named) != 1:
        told = "there is none" if not named else f"there are {len(named)}"
        raise InputError(f"{told} that ends in .yaml; give one study, with the hierarchies it names")
    texts = {_last(name): text for name, text in files.items()}
    with TemporaryDirectory(dir=scratch) as folder:
        place = Path(folder) / "study.yaml"
        place.write_text(files[named[0]], encoding="utf-8", newline="\n")
        try:
            given = read_study_file(place)
        except InputError as problem:
            raise InputError(problem.what, file="the study", line=problem.line) from None
        attributes = {}
        for column, attribute in given.attributes.items():
            if isinstance(attribute.hierarchy, Path):
                name = _last(str(attribute.hierarchy))
                if name not in texts:
                    raise InputError(
                        f"the study names the hierarchy {show(name)} of the column {show(column)}, which is "
                        "not among the files; choose it together with the study"
                    )
                found = _hierarchy(texts[name], name, Path(folder))
                attributes[column] = replace(attribute, hierarchy=found)
            else:
                attributes[column] = attribute
    return replace(given, attributes=attributes)


def _last(name: str) -> str:
    """Return the last part of a name, whatever machine it comes from."""
    return PurePosixPath(name.replace("\\", "/")).name


def _hierarchy(text: str, name: str, folder: Path) -> Hierarchy:
    place = folder / "hierarchy.csv"
    place.write_text(text, encoding="utf-8", newline="")
    try:
        return read_hierarchy(place)
    except InputError as problem:
        raise InputError(problem.what, file=f"the hierarchy {name}", line=problem.line) from None
