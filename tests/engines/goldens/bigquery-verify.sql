SELECT
  `age`,
  `town`,
  COUNT(*) AS n
FROM w.safe
GROUP BY
  `age`,
  `town`
HAVING
  COUNT(*) < 1;

SELECT
  `age`,
  `town`,
  SUM(n) AS size
FROM (
  SELECT
    `age`,
    `town`,
    NULLIF(CAST(`ill` AS STRING), '') AS value,
    COUNT(*) AS n
  FROM w.safe
  GROUP BY
    `age`,
    `town`,
    NULLIF(CAST(`ill` AS STRING), '')
) AS cells
GROUP BY
  `age`,
  `town`
HAVING
  (
    MAX(CASE WHEN NOT value IS NULL THEN n END) * 2
  ) > (
    SUM(n) * 1
  );
