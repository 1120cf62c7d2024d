{# Groups of rows alike in some columns that have fewer than k rows; or fewer than k persons, if a column tells whose they are. #}
{% test k_anonymous(model, columns, k, persons=none) %}
select {{ columns | join(', ') }}, count(*) as rows_alike
from {{ model }}
group by {{ columns | join(', ') }}
having count({{ '*' if persons is none else 'distinct ' ~ persons }}) < {{ k }}
{% endtest %}

{# Groups of rows alike in some columns that have fewer than l different values of a sensitive column. #}
{% test l_diverse(model, columns, sensitive, l) %}
select {{ columns | join(', ') }}, count(distinct {{ sensitive }}) as different
from {{ model }}
group by {{ columns | join(', ') }}
having count(distinct {{ sensitive }}) < {{ l }}
{% endtest %}
