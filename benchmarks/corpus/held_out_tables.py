"""Tables that were written after the rules, and for which no rule was changed: how unseen tables fare.

Their columns are called as those of well-known public tables, or in languages that the rules hardly know.
"""

from __future__ import annotations

from benchmarks.corpus.cells import (
    day,
    drawn,
    family,
    given,
    hump,
    icd,
    money,
    note,
    number,
    opinion,
    phone,
    pick,
    postcode,
    town,
    whole,
)
from benchmarks.corpus.made_table import Made

HELD_OUT = (
    Made(
        "students",
        390,
        {
            "school": ("q", pick("GP", "MS")),
            "sex": ("q", pick("F", "M")),
            "age": ("q", whole(15, 22)),
            "famsize": ("q", pick("GT3", "LE3")),
            "Pstatus": ("qu", pick("T", "A")),
            "Medu": ("qu", whole(0, 4)),
            "Mjob": ("qu", pick("other", "services", "teacher", "health", "at_home")),
            "guardian": ("qu", pick("mother", "father", "other")),
            "traveltime": ("qu", whole(1, 4)),
            "failures": ("su", whole(0, 3)),
            "romantic": ("su", pick("no", "yes")),
            "Dalc": ("su", opinion),
            "absences": ("su", whole(0, 40)),
            "G3": ("su", hump(11, 4, 0, 20)),
        },
    ),
    Made(
        "diabetic stays",
        700,
        {
            "encounter_id": ("i", number("", 2_278_392)),
            "patient_nbr": ("i", drawn("", 500, 8_222_157)),
            "race": ("q", pick("Caucasian", "AfricanAmerican", "Hispanic", "?")),
            "gender": ("q", pick("Female", "Male")),
            "age": ("q", pick("[60-70)", "[70-80)", "[50-60)", "[80-90)", "[40-50)")),
            "admission_type_id": ("qu", whole(1, 6)),
            "discharge_disposition_id": ("qucs", whole(1, 9)),
            "time_in_hospital": ("qu", whole(1, 14)),
            "payer_code": ("uqs", pick("MC", "HM", "SP", "?")),
            "num_medications": ("su", whole(1, 40)),
            "diag_1": ("s", icd),
            "A1Cresult": ("su", pick("None", ">8", "Norm", ">7")),
            "readmitted": ("csu", pick("NO", ">30", "<30")),
        },
        persons="patient_nbr",
    ),
    Made(
        "examination survey",
        500,
        {
            "SEQN": ("i", number("", 83_732)),
            "RIAGENDR": ("qu", pick(1, 2)),
            "RIDAGEYR": ("qu", whole(0, 80)),
            "RIDRETH1": ("qu", whole(1, 5)),
            "DMDEDUC2": ("qu", whole(1, 5)),
            "INDFMPIR": ("suq", hump(2.4, 1.2, 0, 5, 2)),
            "BPXSY1": ("suq", hump(124, 17, 80, 220)),
            "BMXWT": ("quu", hump(80, 18, 35, 190, 1)),
            "LBXGLU": ("suq", hump(105, 30, 60, 400)),
            "WTMEC2YR": ("uiq", money(30_000, 3)),
        },
    ),
    Made(
        "borgere",
        400,
        {
            "løbenummer": ("i", number("", 1)),
            "fornavn": ("i", given),
            "efternavn": ("i", family),
            "køn": ("qu", pick("kvinde", "mand")),
            "alder": ("q", hump(44, 19, 0, 97)),
            "kommune": ("qu", town),
            "indkomst": ("suq", money(280_000)),
            "diagnose": ("s", icd),
        },
    ),
    Made(
        "cadastro",
        420,
        {
            "nome": ("i", given),
            "telefone": ("i", phone),
            "data_nascimento": ("q", day("1935-01-01", "2012-12-31")),
            "sexo": ("q", pick("F", "M")),
            "cep": ("qui", postcode("010", "220", digits=5)),
            "escolaridade": ("qu", pick("fundamental", "médio", "superior")),
            "renda": ("s", money(2400)),
            "doença": ("s", pick("nenhuma", "asma", "diabetes", "outra")),
            "observações": ("i", note),
        },
        dates=("data_nascimento",),
    ),
    Made(
        "pacjenci",
        360,
        {
            "imię": ("iu", given),
            "nazwisko": ("iu", family),
            "wiek": ("qu", hump(47, 18, 1, 95)),
            "płeć": ("qu", pick("K", "M")),
            "województwo": ("qu", pick("mazowieckie", "śląskie", "lubelskie")),
            "data_przyjęcia": ("q", day("2024-01-01", "2024-12-31")),
            "rozpoznanie": ("s", icd),
            "zarobki": ("suq", money(6200)),
        },
        dates=("data_przyjęcia",),
    ),
)
