"""The words that names of columns are made of, in several languages, and what each suggests.

All are in lower case and without accents; a plural with s counts as its singular.
"""

from __future__ import annotations

POINTING = """\
account, account number, account no, address, akte, aktenzeichen, beneficiary number, birth name,
birthname, biometric, bsn, burgerservicenummer, card, card no, card number, case no, case number,
certificate number, chart number, claim no, claim number, codice fiscale, contact, credit card, cpf, curp,
customer no, customer number, device, dni, driver license, e mail, email, emp no, employee no, employee
number, facebook, fax, file no, file number, fingerprint, firstname, first name, forename, fullname, full
name, given name, guid, health plan, iban, identifier, imei, imsi, insee, insurance no, insurance number,
ip, ip address, lastname, last name, licence number, licence plate, license number, license plate, login,
mac address, maiden name, mail, medical record, member no, member number, mobile, middle name, mrn,
msisdn, national id, nhs number, nickname, nie, nif, nino, nir, numero de dossier, passport, patient no,
patient number, pesel, phone, photo, plate, plate number, police number, policy no, policy number, record
no, record nr, record number, rut, screen name, serial, serial number, signature, sin number, soc sec,
social security, socsec, ssn, steuer id, street, subjid, surname, tax id, tax number, tel, telephone,
twitter, upn, url, user name, username, usubjid, uuid, vehicle id, vin, voiceprint, web site, website,
ticket, geohash, caseid, case id, record id"""
POINTING_ELSEWHERE = """\
achternaam, adres, adresse, adresse mail, anschrift, apellido, calle, cedula, cellulare, cognome, correo,
courriel, direccion, familienname, fallnummer, fiscal code, geburtsname, handy, handynummer, huisnummer,
indirizzo, kennzeichen, kontonummer, kundennummer, matricula, matricule, matrikelnummer, movil, nachname,
nom de famille, nombre, numero de securite sociale, numero de telephone, passeport, pasaporte,
patientennummer, personalnummer, portable, prenom, rue, straat, strasse, telefon, telefonnummer, telefono,
telefoon, versichertennummer, versicherungsnummer, via, vorname, voornaam, endereco, sobrenome, celular,
konto, kontonr, kv nr, nss, numero secu, numero securite sociale, sozialversicherungsnummer"""
POINTING_WEAKLY = "first, id, last, name, nom, nome, pid, uid"
POINTING_ENDINGS = ("nummer", "nr", "name", "adresse", "strasse", "anschrift", "kennzeichen", "kenteken")
"""How compounds that point at somebody end: Kundennummer, Hausadresse."""

AGE = (
    "age, aged, agea, ager, alder, alter, edad, eta, idade, leeftijd, age year, age yr, age group, iage"
)
BIRTH = """\
birth, birthdate, birthday, birthyear, birthyr, birth year, birth month, born, dob, yob, year of birth,
fecha nacimiento, gebdat, gebjahr, geb jahr, geb datum, geboortedatum, geboortejaar, geburtsdatum,
geburtsjahr, geburtstag, nacimiento, naissance, nascita, nascimento, yrbrn, cohort,
geb dat, date naissance"""
POSTAL = """\
codice postale, code postal, codigo postal, plz, postal, postal code, postcode, postleitzahl, zip, zip
code, zipcode, zip3"""
OCCUPATION = """\
beroep, beruf, cargo, isco, job, job title, metier, occ, occupation, ocupacion, position, profesion,
profession, professione, puesto, tatigkeit,
csp, job role"""
COUNTRY = """\
birthplace, bpl, citizenship, cntry, country, country of birth, herkunft, herkunftsland, land,
nacionalidad, nationality, nationalite, nationalitat, nazionalita, pais, pays, paese, staatsangehorigkeit,
native country"""
STATE = "state, statefip, us state"
INDUSTRY = "branche, industry, nace, naics, sector, sic"
KINDS = """\
bairro, barrio, bezirk, borough, bundesland, burgerlijke staat, canton, caste, citta, ciudad, civil, civil
status, comarca, commune, community, comune, constituency, county, departamento, departement, department,
dept, district, electoral, estado civil, etat civil, ethnic, ethnicity, ethnie, familienstand, gemeinde,
genero, gender, geschlecht, geslacht, gndr, kanton, kreis, language, langue, lingua, idioma, location,
marital, marital status, marst, municipality, municipio, neighborhood, neighbourhood, ort, parish, place,
precinct, province, provincia, quartier, quartiere, race, region, regione, relat, relationship, residence,
sesso, sex, sexe, sexo, situation matrimoniale, sprache, stadt, stadtteil, staat, stato civile, suburb,
town, tract, urbrur, village, ville, wijk, wohnort, woonplaats, hhcivil, city, site, ward, school, mother
tongue, faculty, fips, puma, tower, cell,
roof, wall, water, toilet, cooking fuel, electricity, electcon,
isex, irace, ihispanic, istatenum, marstat, racea, personal status, estado, pclass, embarked, cabin"""
"""Kinds, not amounts: their numbers are codes."""
COUNTS = """\
children, child, enfant, family size, familysize, hh size, hhsize, hijo, household size, kid, kind,
kinder, number of child, persons in household, room, family member, dependent,
sibsp, sib sp, parch, sibling"""
KNOWN = """\
admission, admit, ancestry, area, area code, arrival, ausbildung, bildung, car, citizen, class of worker,
death date, degree, diploma, discharge, drivers licence, drivers license, education, educ, edu, eduyrs,
eintritt, empleo, emploi, employer, employment, estudio, etude, eye, fahrzeug, family, hair, height, hire,
hobby, hobbies, household, immigrant, incident, laboral, labour force, labor force, lat, latitude, length
of stay, lng, lon, longitude, los, major, make, marriage, married, migration, model, nivel estudios,
occupied, opleiding, origin, owner, qualification, schooling, schulabschluss, schulbildung, senior,
studiengang, semester, tenure, unemployed, vehicle, vehicle year, veteran, visit, work class, workclass,
work status, year group, body weight, groesse, taille, studies, veicolo, auto, car make, car model"""

HEALTH = """\
abortion, abuse, addiction, adverse, aedecod, alcohol, allergy, anxiety, atc, befund, bac, behinderung,
biopsy, blood, blood pressure, bloodpressure, bmi, bp, cancer, cause of death, cd4, chol, cholesterol,
cigarette, complaint, comorbidity, condition, covid, creatinine, crp, depression, diag, diagnose,
diagnosi, diagnosis, diagnoses, diagnostic, diagnostico, disability, disability rating, discapacidad,
disease, disorder, dose, drg, drug, drink, dx, enfermedad, finding, fumador, fumeur, genotype, gad,
glucose, hamoglobin, haemoglobin, handicap, hba1c, hemoglobin, hiv, icd, icd10, illness, impfung,
impfstatus, infection, injury, insulin, iq, krankheit, kreatinin, lab, maladie, malattia, medication,
medicine, mental, obesity, operation, pflegegrad, phq, pregnancy, pregnant, prescription, procedure,
promille, psa, pulse, raucher, sick, sick day, sickness, smoker, smoking, stroke, suicide, surgery,
symptom, systolic, diastolic, therapy, thal, trestbps, treatment, tumor, tumour, vaccinated, vaccination,
vaccine, verletzung, viral load, ziekte, doenca, wellbeing, stress,
iinjury, blutgruppe, blood group, schwerbehindert, behindert, heart, resting, thalach, gravida"""
MONEY = """\
agi, amount, amt, asset, bafog, balance, basket, benefit, bruttolohn, capital gain, capital loss, charge,
cost, credit, debt, donation, earnings, einkommen, einkunfte, einkuenfte, expend, expenditure, expense,
fedtax, fica, fine, gehalt, gift, gift amount, hhincome, inc, income, inctot, ingreso, kosten, loan, lohn,
mortgage, nettoeinkommen, pay, payment amount, pension, premium, price, profit, rent, renta, rente,
revenu, revenue, reddito, salaire, salario, salary, saving, savings, sales, sozialhilfe, spend, spending,
statetax, stipendio, tax, taxinc, treasury, turnover, uitkering, vermogen, wage, wealth, pearnval,
wsalval, ptotval, inkomen, loon, renda, claim amount, total claim amount, allowance, scholarship, bonus,
fare, ramntall, minramnt, ngiftall"""
BELIEFS = """\
attitude, belief, church, confession, faith, glaube, happy, happiness, konfession, left right, lifesat,
lrscale, opinion, orientation, partei, parteipraferenz, partido, party, politics, political, religion,
rlgdnm, satisfaction, sexual orientation, sexuality, trust, union, union member, vote, voto, wahlabsicht,
zufriedenheit,
religionszugehorigkeit"""
CONDUCT = """\
arrest, attendance, conviction, crime, criminal, exam, exclusion, free school meals, gpa, grade, mark,
math, note, offence, offense, performance, rating, score, search conducted, sen status, sentence, special
needs, suspension, violation, voto laurea, cheating, warning, complaint history"""
OUTCOMES = """\
attrition, churn, churned, death flag, default payment, died, dthfl, disposition, fraud, fraud reported,
income class, mortality, outcome, readmission, readmitted, response, salary class, survival, survived,
target"""
OUTCOMES_WEAKLY = "class, label, result"

SENSITIVE_ENDINGS = (
    "einkommen", "lohn", "gehalt", "kosten", "diagnose", "krankheit", "befund", "praferenz", "inkomen",
)  # fmt: skip
"""How compounds for private matters end: Haushaltsnettoeinkommen, Hauptdiagnose."""
QUASI_ENDINGS = ("geschlecht", "stand", "abschluss", "bildung", "beruf", "datum", "jahr", "land", "ort")

PERSON = """\
patient, pat, person, persona, personne, pers, client, cliente, customer, cust, kunde, kunden, user,
member, subject, subj, participant, proband, respondent, resp, response, student, pupil, schuler,
employee, emp, citizen, resident, insured, donor, spender, paciente, patienten, versicherten, adherent,
deelnemer, medewerker, burger, card, driver, tenant, voter, applicant, case"""
PERSON_ALONE = """\
id, pid, uid, mrn, ssn, idno, patnr, patid, patientid, personid, userid, custid, customerid, usubjid,
subjid, studentid, matrikelnummer, personalnummer, patientennummer, kundennummer, versichertennummer, dni,
bsn, upn"""
HOUSEHOLD = """\
household, hh, haushalt, haushalts, hogar, menage, foyer, family, famille, familien, famiglia, dwelling,
vivienda, wohnung, huishouden, hid, hhid, idhh, ori hid, hidp, serial, haushaltsnummer, hushold"""
KEY = "id, ids, nr, no, num, number, nummer, numero, key, identifier, code, kennung, nbr"

WEIGHT = """\
afnlwgt, design weight, dweight, expansion factor, factor de expansion, factor expansion, fexp, final
weight, fnlwgt, gewichtung, gewichtungsfaktor, hhwt, hochrechnung, hochrechnungsfaktor, person weight,
perwt, ponderation, pspwght, pweight, sample weight, sampling weight, survey weight, weegfactor, weging,
weight factor, weighting, wgt, wtfinal, facteur, household weight, calibrated weight"""
WEIGHT_PERHAPS = "weight, wt, w, peso, poids, gewicht, pond"
