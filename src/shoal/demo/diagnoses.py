"""The diagnoses, their chapters, who gets them, and how a stay in hospital ends."""

from __future__ import annotations

from typing import NamedTuple

from shoal.demo.patients import Steps, by_band

OUTCOMES: tuple[str, ...] = ("discharged home", "transferred", "rehabilitation", "died")


class Course(NamedTuple):
    """The shares of stays that end other than at home, before age is taken into account."""

    transferred: float
    rehabilitation: float
    died: float


_MILD = Course(0.010, 0.002, 0.001)
_CHILDBIRTH = Course(0.008, 0.000, 0.0002)
_CHRONIC = Course(0.030, 0.030, 0.008)
_SERIOUS = Course(0.060, 0.040, 0.035)
_GRAVE = Course(0.090, 0.050, 0.100)
_JOINT = Course(0.040, 0.400, 0.004)
_FALL = Course(0.080, 0.350, 0.025)
_MIND = Course(0.080, 0.090, 0.003)

# Factors for each course by age. Deaths rise steadily from age one.
_TRANSFER_BY_AGE: Steps = {0: 1.0, 1: 0.6, 18: 0.8, 50: 1.0, 70: 1.4, 80: 1.9, 90: 2.2}
_REHABILITATION_BY_AGE: Steps = {0: 0.0, 6: 0.3, 18: 0.7, 50: 1.0, 70: 1.2, 90: 0.9}
_DEATH_BY_AGE: Steps = {
    0: 0.30, 1: 0.05, 18: 0.12, 30: 0.20, 40: 0.35, 50: 0.60, 60: 0.90, 65: 1.10, 70: 1.50,
    80: 2.30, 90: 3.40,
}  # fmt: skip


class Diagnosis(NamedTuple):
    """A diagnosis: how often it occurs from which age on, and in women and in men."""

    name: str
    chapter: str
    steps: Steps
    course: Course = _MILD
    female: float = 1.0
    male: float = 1.0


_INFECTION = "infections"
_CANCER = "cancers"
_METABOLISM = "metabolism and hormones"
_MENTAL = "mental health"
_NERVES = "nervous system"
_HEART = "heart and circulation"
_LUNGS = "lungs and airways"
_DIGESTION = "digestion"
_BONES = "bones and joints"
_URINARY = "kidneys and reproductive organs"
_PREGNANCY = "pregnancy and childbirth"
_NEWBORN = "newborn conditions"
_INJURY = "injuries and poisoning"

DIAGNOSES: tuple[Diagnosis, ...] = (
    Diagnosis("stomach infection", _INFECTION, {0: 8, 3: 10, 10: 6, 18: 4, 50: 3, 80: 4}),
    Diagnosis("influenza", _INFECTION, {0: 5, 6: 4, 15: 1.5, 65: 3, 80: 4}),
    Diagnosis("blood poisoning", _INFECTION, {0: 1.5, 1: 0.5, 18: 0.7, 50: 2, 70: 4}, _GRAVE),
    Diagnosis("tuberculosis", _INFECTION, {15: 0.15, 40: 0.2, 70: 0.1}, _SERIOUS, 0.6, 1.4),
    Diagnosis("HIV disease", _INFECTION, {18: 0.15, 30: 0.35, 60: 0.1, 80: 0}, _CHRONIC, 0.4, 1.6),
    Diagnosis("breast cancer", _CANCER, {30: 1.5, 40: 4, 50: 5, 80: 3}, _SERIOUS, 1.0, 0.01),
    Diagnosis("lung cancer", _CANCER, {40: 0.8, 50: 3, 60: 5, 80: 2.5}, _GRAVE, 0.7, 1.3),
    Diagnosis("bowel cancer", _CANCER, {30: 0.3, 40: 1, 50: 2.5, 60: 3.5, 80: 3}, _SERIOUS),
    Diagnosis("prostate cancer", _CANCER, {50: 3, 60: 6, 80: 4}, _CHRONIC, 0.0),
    Diagnosis("leukaemia", _CANCER, {0: 0.6, 15: 0.4, 50: 0.8, 70: 1.2}, _GRAVE),
    Diagnosis("type 1 diabetes", _METABOLISM, {3: 1.5, 6: 3, 18: 1.2, 40: 0.5, 70: 0.1}),
    Diagnosis("type 2 diabetes", _METABOLISM, {30: 0.7, 40: 2, 50: 3.5, 80: 3}, _CHRONIC),
    Diagnosis("thyroid disorder", _METABOLISM, {18: 0.8, 40: 2, 70: 1}, _MILD, 1.6, 0.4),
    Diagnosis("depression", _MENTAL, {15: 5, 18: 5, 50: 4, 65: 2, 80: 1}, _MIND, 1.3, 0.8),
    Diagnosis("schizophrenia", _MENTAL, {18: 2.5, 50: 1.2, 70: 0.3}, _MIND, 0.8, 1.2),
    Diagnosis("alcohol dependence", _MENTAL, {15: 2, 30: 5, 60: 3, 70: 0.8}, _MIND, 0.5, 1.6),
    Diagnosis("eating disorder", _MENTAL, {10: 1.5, 15: 4, 23: 1.2, 40: 0.1}, _MIND, 1.5, 0.15),
    Diagnosis("dementia", _MENTAL, {60: 0.3, 70: 1.5, 80: 5, 90: 7}, _SERIOUS),
    Diagnosis("epilepsy", _NERVES, {0: 3, 10: 2.5, 18: 1.5, 70: 1.5}, _CHRONIC),
    Diagnosis("migraine", _NERVES, {10: 1, 18: 1.5, 60: 0.3}, _MILD, 1.4, 0.5),
    Diagnosis("multiple sclerosis", _NERVES, {18: 0.7, 30: 1.2, 60: 0.4}, _CHRONIC, 1.4, 0.6),
    Diagnosis("heart attack", _HEART, {30: 0.5, 40: 2.5, 50: 5, 70: 6}, _SERIOUS, 0.6, 1.4),
    Diagnosis("heart failure", _HEART, {40: 0.5, 50: 2, 60: 5, 70: 10, 80: 16}, _GRAVE),
    Diagnosis("stroke", _HEART, {18: 0.2, 40: 1, 50: 3, 60: 5, 70: 8}, _GRAVE),
    Diagnosis("irregular heartbeat", _HEART, {18: 0.5, 40: 2, 50: 4, 60: 6, 70: 8}, _CHRONIC),
    Diagnosis("high blood pressure", _HEART, {30: 1, 50: 3, 70: 4}),
    Diagnosis("pneumonia", _LUNGS, {0: 6, 6: 4, 15: 1.5, 50: 3, 70: 6, 80: 10}, _GRAVE),
    Diagnosis("childhood asthma", _LUNGS, {1: 8, 3: 10, 10: 6, 15: 2, 18: 0}, _MILD, 0.8, 1.2),
    Diagnosis("acute bronchitis", _LUNGS, {0: 22, 1: 14, 3: 5, 10: 1, 65: 2}),
    Diagnosis("chronic lung disease", _LUNGS, {40: 1, 50: 3, 60: 6, 80: 4}, _SERIOUS, 0.8, 1.2),
    Diagnosis("appendicitis", _DIGESTION, {3: 4, 6: 9, 15: 8, 23: 3, 50: 1}),
    Diagnosis("gallstones", _DIGESTION, {18: 2, 30: 4, 70: 4}, _MILD, 1.4, 0.8),
    Diagnosis("groin hernia", _DIGESTION, {0: 2, 6: 0.6, 18: 2, 50: 5, 80: 3}, _MILD, 0.15, 1.4),
    Diagnosis("liver cirrhosis", _DIGESTION, {30: 0.4, 40: 1.2, 50: 1.8, 70: 1}, _GRAVE, 0.6, 1.4),
    Diagnosis("back pain", _BONES, {18: 2, 30: 5, 50: 6, 80: 4}),
    Diagnosis("worn hip joint", _BONES, {40: 0.5, 50: 3, 60: 6, 80: 4}, _JOINT, 1.2, 0.9),
    Diagnosis("worn knee joint", _BONES, {40: 0.6, 50: 4, 60: 7, 80: 3}, _JOINT, 1.3, 0.9),
    Diagnosis("kidney stones", _URINARY, {18: 2, 30: 4, 70: 2}, _MILD, 0.6, 1.4),
    Diagnosis("kidney failure", _URINARY, {18: 0.2, 50: 1.2, 70: 3, 80: 5}, _GRAVE),
    Diagnosis("enlarged prostate", _URINARY, {50: 3, 60: 6, 80: 5}, _MILD, 0.0),
    Diagnosis("endometriosis", _URINARY, {15: 1, 23: 3.5, 50: 0.3, 60: 0}, _MILD, 1.0, 0.0),
    Diagnosis("childbirth", _PREGNANCY, {15: 3, 18: 20, 23: 75, 40: 12, 50: 0}, _CHILDBIRTH, 1.0, 0.0),
    Diagnosis(
        "pregnancy complication", _PREGNANCY, {15: 1, 18: 8, 23: 22, 40: 5, 50: 0}, _MILD, 1.0, 0.0
    ),
    Diagnosis("premature birth", _NEWBORN, {0: 10, 1: 0}, _GRAVE),
    Diagnosis("newborn jaundice", _NEWBORN, {0: 25, 1: 0}),
    Diagnosis("hip fracture", _INJURY, {50: 0.5, 60: 1.2, 70: 4, 80: 12, 90: 18}, _FALL, 1.4, 0.7),
    Diagnosis("forearm fracture", _INJURY, {1: 3, 6: 10, 15: 4, 18: 2, 50: 3, 70: 4}),
    Diagnosis("concussion", _INJURY, {0: 6, 1: 14, 10: 10, 18: 5, 30: 2, 70: 4}, _MILD, 0.8, 1.2),
    Diagnosis("poisoning", _INJURY, {0: 1, 1: 3, 6: 0.5, 15: 4, 23: 2, 50: 0.8}, _SERIOUS),
)


def diagnosis_hierarchy() -> list[tuple[str, ...]]:
    """One row per diagnosis: itself, its chapter, the root.

    >>> diagnosis_hierarchy()[1]
    ('influenza', 'infections', '*')
    """
    return [(diagnosis.name, diagnosis.chapter, "*") for diagnosis in DIAGNOSES]


def outcome_weights(course: Course) -> list[list[float]]:
    """For each age band the shares of the `OUTCOMES`, in their order."""
    shares = []
    for transfer, rehabilitation, death in zip(
        by_band(_TRANSFER_BY_AGE), by_band(_REHABILITATION_BY_AGE), by_band(_DEATH_BY_AGE), strict=True
    ):
        away = [
            course.transferred * transfer,
            course.rehabilitation * rehabilitation,
            course.died * death,
        ]
        shares.append([1.0 - sum(away), *away])
    return shares
