"""What can still be learnt: the error of a decision tree trained on a release and on the original."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from shoal.assess.utility.rows import cell_values, deletion_chances
from shoal.data.tally import Tally
from shoal.describe.hierarchies import Label
from shoal.errors import InputError, MissingExtraError, show
from shoal.recode import Treatment

MOST_ROWS = 50_000
HELD_OUT = 1 / 3
MOST_CATEGORIES = 200

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Classification:
    """The share of held-out rows whose class a decision tree gets wrong.

    `original` learnt from original rows, `released` from the same rows as released, and `majority` always
    guesses the most frequent class.
    """

    original: float
    released: float
    majority: float
    trained: int
    trained_released: int
    tested: int
    seed: int

    def to_dict(self) -> dict[str, Any]:
        """Return the errors as documents show them."""
        return asdict(self)


def classification(
    treatment: Treatment, tally: Tally, class_column: str, *, seed: int = 0, most: int = MOST_ROWS
) -> Classification:
    """Return how well the quasi attributes predict the class, before and after a release.

    At most `most` rows are drawn from the tally, which holds the class column, and a third of them are held
    out. Each tree predicts the held-out persons from the kind of rows it learnt from: the original ones, or
    the recoded ones, suppressed or not. The released rows themselves would not do: they name nobody, so the
    held-out persons could not be kept out of the training.
    """
    features = [name for name in tally.attributes if name != class_column]
    if not features:
        raise InputError("no quasi attribute is left to predict the class from")
    if class_column in tally.attributes:
        place = tally.attributes.index(class_column)
        combinations = zip(treatment.classes.tolist(), tally.codes[:, place].tolist(), strict=True)
        if any(treatment.labels[c][place] != tally.domains[place][code] for c, code in combinations):
            raise InputError(
                f"the class column {show(class_column)} is itself generalized, so a release cannot teach it"
            )
    draw = np.random.default_rng(seed)
    rows = draw.choice(tally.rows, size=min(tally.rows, most), replace=False)
    cells = np.searchsorted(np.cumsum(tally.cell_counts), rows, side="right")
    chances = deletion_chances(treatment, tally, class_column)
    kept = draw.random(len(cells)) >= chances[cells]
    originals: list[npt.NDArray[Any]] = []
    released: list[npt.NDArray[Any]] = []
    ordered: list[bool] = []
    for name in features:
        a = tally.attributes.index(name)
        values, (labels, shown) = cell_values(tally, name), _labels(treatment, a)
        shown = shown[tally.cell_combinations]
        numbers = _numbers(tally.domains[a])
        if numbers is None:
            originals.append(values[cells])
            released.append(shown[cells])
        else:
            places = _averages(numbers[values], tally.cell_counts, shown, labels)
            originals.append(numbers[values[cells]])
            released.append(places[shown[cells]])
        ordered.append(numbers is not None)
    return tree_errors(
        np.column_stack(originals).astype(np.float64),
        np.column_stack(released).astype(np.float64),
        cell_values(tally, class_column)[cells].astype(np.int64),
        kept,
        ordered,
        seed=seed,
    )


def _numbers(domain: Sequence[Label]) -> Floats | None:
    """Return the values as numbers, a missing one below all others; None if some are text."""
    try:
        numbers = [None if value is None else float(value) for value in domain]
    except ValueError:
        return None
    known = [number for number in numbers if number is not None]
    if not known or not np.isfinite(known).all():
        return None
    below = min(known) - 1
    return np.array([below if number is None else number for number in numbers])


def _labels(treatment: Treatment, a: int) -> tuple[int, npt.NDArray[np.int64]]:
    """Return how many labels an attribute has in the release, and the label of each combination."""
    place: dict[Label, int] = {}
    of_class = [place.setdefault(labels[a], len(place)) for labels in treatment.labels]
    return len(place), np.array(of_class, dtype=np.int64)[treatment.classes]


def _averages(
    numbers: Floats, counts: npt.NDArray[np.int64], labels: npt.NDArray[np.int64], size: int
) -> Floats:
    """Return the average of the numbers that each label stands for."""
    sums = np.bincount(labels, weights=numbers * counts, minlength=size)
    averages: Floats = sums / np.maximum(np.bincount(labels, weights=counts, minlength=size), 1)
    return averages


def tree_errors(
    original: Floats,
    released: Floats,
    classes: npt.NDArray[np.int64],
    kept: npt.NDArray[np.bool_],
    ordered: Sequence[bool],
    *,
    seed: int = 0,
) -> Classification:
    """Return the errors of two trees on aligned rows: row i of both tables is the same person.

    `kept` says which rows are released, `ordered` which columns are numbers; the others are codes, of which
    the 200 most frequent are distinguished. The last third of the rows is held out.
    """
    tested = int(len(classes) * HELD_OUT)
    trained = len(classes) - tested
    if not tested:
        raise InputError("too few rows to hold some out; a decision tree needs at least 3")
    learning = np.arange(trained)
    staying = learning[kept[:trained]]
    counts = np.bincount(classes[:trained])
    held_out = classes[trained:]
    majority = float((held_out != counts.argmax()).mean())
    errors = []
    for table, rows in ((original, learning), (released, staying)):
        if not len(rows):
            raise InputError("no row of the sample is released, so no tree can learn from it")
        learner = _learner(ordered, len(rows), seed)
        learner.fit(table[rows], classes[rows])
        errors.append(float((learner.predict(table[trained:]) != held_out).mean()))
    return Classification(errors[0], errors[1], majority, trained, len(staying), tested, seed)


def _learner(ordered: Sequence[bool], rows: int, seed: int) -> Any:
    """Return a decision tree whose leaves are large enough not to learn single persons."""
    try:
        compose, pipeline, preprocessing, tree = (
            import_module(f"sklearn.{part}") for part in ("compose", "pipeline", "preprocessing", "tree")
        )
    except ImportError:
        raise MissingExtraError("classification errors", "scikit-learn", "utility") from None
    encoder = preprocessing.OneHotEncoder(
        handle_unknown="infrequent_if_exist", max_categories=MOST_CATEGORIES
    )
    columns = compose.ColumnTransformer(
        [
            ("numbers", "passthrough", [i for i, order in enumerate(ordered) if order]),
            ("values", encoder, [i for i, order in enumerate(ordered) if not order]),
        ]
    )
    leaf = max(5, rows // 1000)
    return pipeline.make_pipeline(
        columns, tree.DecisionTreeClassifier(min_samples_leaf=leaf, random_state=seed)
    )
