"""What a column's name says. Only whole words count: "hospital-id" contains id, "provider" does not."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from shoal.describe import Role


@dataclass(frozen=True)
class Meaning:
    """The role that a name suggests, the words that suggest it, and the topic, for its hierarchy.

    `weak` words (name, id, class) say little next to other words; `numbered` names contain a word for numbers
    of persons or things, such as id.
    """

    role: Role
    words: str
    topic: str = ""
    weak: bool = False
    numbered: bool = False


def _entries(
    role: Role, text: str, topic: str = "", weak: bool = False
) -> Iterator[tuple[str, Meaning]]:
    for phrase in text.split(","):
        words = " ".join(phrase.split())
        yield words, Meaning(role, words, topic, weak)


# A phrase beats a word, and of several words the last counts ("admission diagnosis"), or the first
# where the name goes on with "of", "at" and the like ("age at diagnosis").
_KNOWN: dict[str, Meaning] = dict(
    (
        *_entries(
            Role.IDENTIFYING,
            """address, birth name, birthname, card number, case number, chart number, credit card,
            customer number, e mail, email, fax, file number, fingerprint, firstname, forename, fullname,
            guid, iban, identifier, insurance number, ip, lastname, licence number, licence plate,
            license number, license plate, login, maiden name, mail, medical record, member number,
            mobile, mrn, nhs number, nickname, passport, patient number, phone, photo, policy number,
            record no, record nr, record number, serial number, signature, social security, ssn,
            street, surname, tax number, tel, telephone, url, username, uuid""",
        ),
        *_entries(
            Role.IDENTIFYING,
            """adresse, anschrift, cognome, correo, direccion, familienname, handynummer, indirizzo,
            nachname, patientennummer, prenom, strasse, telefon, telefono,
            versichertennummer, versicherungsnummer, vorname, voornaam, achternaam, apellido""",
        ),
        *_entries(Role.IDENTIFYING, "id, name, nom, nome, pid, uid", weak=True),
        *_entries(Role.QUASI, "age, aged, alter, edad, eta, leeftijd", "age"),
        *_entries(
            Role.QUASI,
            """birth, birthdate, birthday, birthyear, born, dob, yob, geboortedatum, geburtsdatum,
            geburtsjahr, geburtstag, nacimiento, naissance, nascita""",
            "birth",
        ),
        *_entries(
            Role.QUASI,
            "plz, postal, postcode, zip, zipcode, codice postale, codigo postal, postleitzahl",
            "postal",
        ),
        *_entries(
            Role.QUASI,
            "job, occupation, profession, beroep, beruf, profesion, professione",
            "occupation",
        ),
        *_entries(
            Role.QUASI,
            """bildung, bundesland, ciudad, citta, etat civil, familienstand, gemeinde, genero, geschlecht,
            geslacht, kanton, nationalite, ort, pais, pays, sesso, sexe, sexo, staatsangehorigkeit,
            ville, wohnort, woonplaats""",
        ),
        *_entries(
            Role.QUASI,
            """admission, ancestry, area, arrival, birthplace, borough, canton, children, citizenship,
            city, civil status, class of worker, commune, country, county, death date, degree,
            department, discharge, district, education, employer, employment, ethnic, ethnicity,
            faculty, family size, gender, height, household, industry, language, lat, latitude, lng,
            location, lon, longitude, marital, marital status, marriage, married, municipality,
            nationality, neighborhood, neighbourhood, parish, place, province, qualification, race,
            region, relationship, residence, school, schooling, sex, state, suburb, town, veteran,
            village, visit, weight, work class, workclass""",
        ),
        *_entries(
            Role.SENSITIVE,
            """befund, diagnose, diagnosi, diagnostic, diagnostico, einkommen, enfermedad, gehalt, glaube,
            ingresos, krankheit, maladie, malattia, revenu, salaire, salario, ziekte""",
        ),
        *_entries(
            Role.SENSITIVE,
            """abuse, addiction, alcohol, allergy, balance, belief, biopsy, bmi, cancer, capital gain,
            capital loss, cause of death, complaint, comorbidity, condition, conviction, cost, credit,
            crime, criminal, debt, diag, diagnosis, diagnoses, disability, disease, disorder, drg, drug,
            dx, earnings, faith, finding, genotype, gpa, grade, hiv, icd, illness, income, infection,
            injury, iq, loan, medication, medicine, offence, offense, operation, orientation, party, pay,
            politics, pregnancy, prescription, procedure, religion, salary, score, sexuality, sexual
            orientation, smoker, smoking, surgery, symptom, therapy, treatment, vote, wage, wealth""",
        ),
        *_entries(
            Role.CLASS,
            """died, income class, mortality, outcome, readmission, readmitted, response, salary class,
            survival, survived, target""",
        ),
        *_entries(Role.CLASS, "class, label, result", weak=True),
    )
)
_LONGEST = max(phrase.count(" ") + 1 for phrase in _KNOWN)
_JOINTS = frozenset({"of", "at", "by", "for", "from", "in", "on", "per"})
_NUMBERS = frozenset({"id", "no", "nr", "num", "number", "pid", "uid"})
_ABOUT_AGE = """age ages aged at in of on the year years date day month group groups band bands bracket
    class category range birth birthdate birthday birthyear born dob yob patient person alter edad eta
    leeftijd geburtsdatum geburtsjahr geburtstag naissance nacimiento nascita geboortedatum"""
_ONE_AGE = frozenset(_ABOUT_AGE.split())


def split_words(name: str) -> tuple[str, ...]:
    """Return the words of a name, in lower case: split at marks, digits and capitals.

    >>> split_words("hospital-id"), split_words("ZIPCode5"), split_words("firstName")
    (('hospital', 'id'), ('zip', 'code', '5'), ('first', 'name'))
    >>> split_words("Staatsangehörigkeit"), split_words("Straße")
    (('staatsangehorigkeit',), ('strasse',))
    """
    words: list[str] = []
    name = unicodedata.normalize("NFC", name)
    for i, mark in enumerate(name):
        before = name[i - 1] if i else ""
        if not mark.isalnum():
            continue
        capital = mark.isupper() and (before.islower() or name[i + 1 : i + 2].islower())
        if not before.isalnum() or mark.isdigit() != before.isdigit() or capital:
            words.append("")
        words[-1] += mark
    return tuple(_plain(word) for word in words)


def _plain(word: str) -> str:
    """Return a word in lower case, without accents."""
    apart = unicodedata.normalize("NFD", word.casefold())
    return "".join(mark for mark in apart if not unicodedata.combining(mark))


def meaning_of(name: str) -> Meaning | None:
    """Return what a name says about its column; None if no word of it is known.

    >>> meaning_of("hospital-id").role.value, meaning_of("provider"), meaning_of("native-country").words
    ('identifying', None, 'country')
    """
    words = split_words(name)
    found: list[tuple[int, int, Meaning]] = []
    at = 0
    while at < len(words):
        for length in range(min(_LONGEST, len(words) - at), 0, -1):
            phrase = " ".join(words[at : at + length])
            known = _KNOWN.get(phrase) or _KNOWN.get(phrase.removesuffix("s"))
            if known is not None:
                found.append((length, at, known))
                at += length - 1
                break
        at += 1
    if not found:
        return None
    # "of" makes the first word the main one, unless the name begins with it.
    first = any(word in _JOINTS for word in words[1:])
    _, _, best = max(found, key=lambda one: (not one[2].weak, one[0], -one[1] if first else one[1]))
    numbered = any(word in _NUMBERS for word in words)
    return Meaning(best.role, best.words, best.topic, best.weak, numbered)


def is_own_age(name: str) -> bool:
    """Return whether a name means only the age or birth of the row's own person.

    >>> is_own_age("age-band"), is_own_age("Date of Birth"), is_own_age("mother-age")
    (True, True, False)
    """
    meaning = meaning_of(name)
    known = meaning is not None and meaning.topic in {"age", "birth"}
    return known and all(word in _ONE_AGE or word.isdigit() for word in split_words(name))


_PERSON_KEY = re.compile(
    "(patient|person|client|customer|user|member|subject|participant|respondent|student|pupil|employee|citizen"
    "|resident|insured)( (id|ids|nr|no|num|number|key|identifier|code))?|id|pid|uid|mrn|ssn"
)


def is_key_of_persons(name: str) -> bool:
    """Return whether a column by its name says who a row is about.

    >>> [is_key_of_persons(name) for name in ("patient_id", "Patient", "PID", "hospital-id", "first name")]
    [True, True, True, False, False]
    """
    return _PERSON_KEY.fullmatch(" ".join(split_words(name))) is not None
