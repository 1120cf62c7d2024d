SELECT
  NULLIF(CAST(`age` AS STRING), '') AS c0,
  NULLIF(CAST(`town` AS STRING), '') AS c1,
  NULLIF(CAST(`ill` AS STRING), '') AS c2,
  COUNT(*) AS n
FROM w.people
GROUP BY
  NULLIF(CAST(`age` AS STRING), ''),
  NULLIF(CAST(`town` AS STRING), ''),
  NULLIF(CAST(`ill` AS STRING), '');
