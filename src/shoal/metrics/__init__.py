"""Loss metrics, one file each: a new one is a file with a `Metric` and its name in `METRICS`."""

from shoal.errors import InputError, did_you_mean, show
from shoal.metrics.ambiguity import Ambiguity
from shoal.metrics.class_size import ClassSize
from shoal.metrics.cm import CM
from shoal.metrics.dm import DM
from shoal.metrics.entropy import NonUniformEntropy
from shoal.metrics.height import Height
from shoal.metrics.intensity import Intensity
from shoal.metrics.lm import LM
from shoal.metrics.metric import Metric, SeparableMetric, named_in
from shoal.metrics.ncp import NCP
from shoal.metrics.precision import Precision
from shoal.metrics.target import TargetLoss, target_named

METRICS: tuple[type[Metric], ...] = (
    LM,
    DM,
    CM,
    Precision,
    NCP,
    ClassSize,
    NonUniformEntropy,
    Ambiguity,
    Height,
    Intensity,
)

__all__ = [
    "CM",
    "DM",
    "LM",
    "METRICS",
    "NCP",
    "Ambiguity",
    "ClassSize",
    "Height",
    "Intensity",
    "Metric",
    "NonUniformEntropy",
    "Precision",
    "SeparableMetric",
    "TargetLoss",
    "metric_named",
    "named_in",
]


def metric_named(name: str) -> type[Metric]:
    """Return the metric of a name or one of its aliases, or refuse it.

    >>> metric_named("discernibility").name
    'DM'
    """
    found = named_in(METRICS, name) or target_named(name)
    if found is not None:
        return found
    if name.lower() in ("entropy", "label-entropy"):
        raise InputError(
            "only shoal optimize has the metric Entropy (of the class labels); NUE is the entropy of values"
        )
    known = [*(metric.name for metric in METRICS), TargetLoss.name]
    raise InputError(f"unknown metric {show(name)}; {did_you_mean(name, known)}")
