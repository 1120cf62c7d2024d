-- What goes out: bands of age instead of ages, and no names.
select (age // 20) * 20 as age_from, sex, illness
from {{ ref('people') }}
