SELECT
  NULLIF(CAST("age" AS VARCHAR), '') AS c0,
  NULLIF(CAST("town" AS VARCHAR), '') AS c1,
  NULLIF(CAST("ill" AS VARCHAR), '') AS c2,
  COUNT(*) AS n
FROM w.people
GROUP BY
  NULLIF(CAST("age" AS VARCHAR), ''),
  NULLIF(CAST("town" AS VARCHAR), ''),
  NULLIF(CAST("ill" AS VARCHAR), '');
