CREATE TABLE w.safe AS
WITH numbered AS (
  SELECT
    NULLIF(CAST("age" AS VARCHAR), '') AS t0,
    NULLIF(CAST("town" AS VARCHAR), '') AS t1,
    "age" AS x0,
    "town" AS x1,
    "ill" AS x2,
    "note" AS x3
  FROM w.people
), coded AS (
  SELECT
    numbered.*,
    mapping0.code AS k0,
    mapping1.code AS k1,
    mapping0.label AS l0,
    mapping1.label AS l1
  FROM numbered
  JOIN mapping0
    ON COALESCE(numbered.t0, '(missing)') = COALESCE(mapping0.value, '(missing)')
  JOIN mapping1
    ON COALESCE(numbered.t1, '(missing)') = COALESCE(mapping1.value, '(missing)')
), kept AS (
  SELECT
    coded.*
  FROM coded
)
SELECT
  kept.l0 AS "age",
  kept.l1 AS "town",
  kept.x2 AS "ill",
  kept.x3 AS "note"
FROM kept
ORDER BY
  RANDOM();
