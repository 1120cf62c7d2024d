"""Loss metrics, one file each: a new one is a file with a `Metric` and its name in `METRICS`."""

from shoal.errors import InputError, did_you_mean, show
from shoal.loss.ambiguity import Ambiguity
from shoal.loss.base import Metric, SeparableMetric
from shoal.loss.class_size import ClassSize
from shoal.loss.cm import CM
from shoal.loss.dm import DM
from shoal.loss.entropy import NonUniformEntropy
from shoal.loss.height import Height
from shoal.loss.intensity import Intensity
from shoal.loss.lm import LM
from shoal.loss.ncp import NCP
from shoal.loss.precision import Precision

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
    "metric_named",
]


def metric_named(name: str) -> type[Metric]:
    """Return the metric of a name or one of its aliases, in upper or lower case.

    >>> metric_named("discernibility").name
    'DM'
    """
    for metric in METRICS:
        if name.lower() in {metric.name.lower(), *(alias.lower() for alias in metric.aliases)}:
            return metric
    known = [metric.name for metric in METRICS]
    if name.lower() in ("entropy", "label-entropy"):
        raise InputError(
            "Entropy, of the class labels, is a metric of shoal optimize alone; NUE is that of the values"
        )
    raise InputError(f"unknown metric {show(name)}; {did_you_mean(name, known)}")
