"""Anonymeter on released rows; called in an environment that holds it, and not Shoal."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def answer(rows: str, attack: str, sides: list[list[str]], secret: str, tries: int) -> dict[str, Any]:
    """Return the risk of linkability or inference, and its interval.

    `rows` is a file of columns of released rows and of such that were held out, all recoded. The released
    rows are what is attacked and what it is attacked with: a release has the rows of its persons.
    """
    import numpy as np
    import pandas as pd
    from anonymeter.evaluators import InferenceEvaluator, LinkabilityEvaluator

    np.random.seed(0)
    given = json.loads(Path(rows).read_text(encoding="utf-8"))
    released, held_out = (pd.DataFrame(given[who], dtype=str) for who in ("released", "held_out"))
    # Of equally near rows it takes one by their order, so the order must be one of chance.
    shown = released.sample(frac=1, random_state=0).reset_index(drop=True)
    common = {"ori": released, "syn": shown, "control": held_out, "n_attacks": tries}
    if attack == "linkability":
        evaluator = LinkabilityEvaluator(**common, aux_cols=tuple(sides), n_neighbors=1)
    else:
        evaluator = InferenceEvaluator(**common, aux_cols=sides[0], secret=secret, regression=False)
    evaluator.evaluate(n_jobs=1)
    risk, found = evaluator.risk(confidence_level=0.95), evaluator.results(confidence_level=0.95)
    return {
        "success": float(found.attack_rate.value),
        "baseline": float(found.control_rate.value),
        "risk": float(risk.value),
        "low": float(risk.ci[0]),
        "high": float(risk.ci[1]),
    }
