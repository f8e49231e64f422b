-- Written by npm run sql.

-- GET /api/reports/profit-and-loss?groupBy=property,month

WITH span AS MATERIALIZED
  (SELECT
    (SELECT t.date
      FROM transactions t
      WHERE t.owner_id = $1
      ORDER BY t.date ASC, t.id ASC
      LIMIT 1) AT TIME ZONE $2::text AS first,
    (SELECT t.date
      FROM transactions t
      WHERE t.owner_id = $1
      ORDER BY t.date DESC, t.id DESC
      LIMIT 1) AT TIME ZONE $2::text AS last), periods1 AS MATERIALIZED
  (SELECT array_agg(least((p.start AT TIME ZONE $2::text), CASE WHEN (((p.start - ((((p.start AT TIME ZONE
                      $2::text) - interval '24 hours') AT TIME ZONE $2::text) - (((p.start AT TIME ZONE
                      $2::text) - interval '24 hours') AT TIME ZONE 'UTC'))) AT TIME ZONE 'UTC') AT TIME
          ZONE $2::text) >= p.start THEN ((p.start - ((((p.start AT TIME ZONE $2::text) - interval '24
                  hours') AT TIME ZONE $2::text) - (((p.start AT TIME ZONE $2::text) - interval '24
                  hours') AT TIME ZONE 'UTC'))) AT TIME ZONE 'UTC') END)
      ORDER BY p.start) AS starts, array_agg(to_char(p.start, 'YYYY-MM')
      ORDER BY p.start) AS names
    FROM
    (SELECT g.start
      FROM span s, generate_series(date_trunc('month', s.first), s.last, interval '1 month') g(start)
      LIMIT 5001) p), entries AS MATERIALIZED
  (SELECT t.property_id AS key0, width_bucket(t.date,
      (SELECT p.starts
        FROM periods1 p)) AS key1, CASE WHEN t.facets & 992 = 640 THEN CASE WHEN t.facets & 28 = 24 THEN 7
    ELSE 4 + (t.facets & 3) END WHEN t.facets & 28 = 24 THEN 2 + (t.facets & 3) ELSE (t.facets & 3) END AS
    kind, sum(t.amount) AS amount
    FROM transactions t
    WHERE t.owner_id = $1 AND t.facets & 28 <> 4 AND true
    GROUP BY 1, 2, 3), sums AS MATERIALIZED
  (SELECT e.key0, e.key1, grouping(e.key0, e.key1) AS rest, coalesce(sum(e.amount) FILTER (WHERE e.kind IN
        (2)), 0.00) AS "income", coalesce(sum(e.amount) FILTER (WHERE e.kind IN (1)), 0.00) AS "expenses",
    coalesce(sum(e.amount) FILTER (WHERE e.kind IN (2)), 0.00) - coalesce(sum(e.amount) FILTER (WHERE
        e.kind IN (1)), 0.00) AS "net", coalesce(sum(e.amount) FILTER (WHERE e.kind IN (4)), 0.00) AS
    "refundedIncome", coalesce(sum(e.amount) FILTER (WHERE e.kind IN (3)), 0.00) AS "refundedExpenses",
    coalesce(sum(e.amount) FILTER (WHERE e.kind IN (6, 7)), 0.00) AS "depositsReceived",
    coalesce(sum(e.amount) FILTER (WHERE e.kind IN (5, 7)), 0.00) AS "depositsReturned",
    coalesce(sum(e.amount) FILTER (WHERE e.kind IN (6, 7)), 0.00) - coalesce(sum(e.amount) FILTER (WHERE
        e.kind IN (5, 7)), 0.00) AS "depositsHeld"
    FROM entries e
    GROUP BY GROUPING SETS ((), (e.key0), (e.key0, e.key1))) SELECT greatest(0,
    (SELECT cardinality(p.starts)
      FROM periods1 p)) AS periods, s.rest, CASE s.rest WHEN 3 THEN
  (SELECT row_to_json(v)
    FROM
    (SELECT s."income", s."expenses", s."net", s."refundedIncome", s."refundedExpenses",
      s."depositsReceived", s."depositsReturned", s."depositsHeld") v) ELSE
  (SELECT row_to_json(v)
    FROM
    (SELECT s."income", s."expenses", s."net", s."refundedIncome", s."refundedExpenses",
      s."depositsReceived", s."depositsReturned", s."depositsHeld", CASE s.rest WHEN 1 THEN s.key0 END AS
      "propertyId", CASE s.rest WHEN 1 THEN o.name END AS "propertyName", NULL AS "category", CASE s.rest
      WHEN 0 THEN
      (SELECT p.names
        FROM periods1 p)[s.key1] END AS "period") v) END::text AS text
  FROM sums s LEFT JOIN properties o ON o.owner_id = $1 AND o.id = s.key0
  ORDER BY s.key0 NULLS LAST, s.key1 NULLS LAST, s.rest
  LIMIT 5002;

-- GET /api/reports/tax-year?year=2026

WITH entries AS MATERIALIZED
  (SELECT t.property_id AS key0, t.facets & 992 AS key1, CASE WHEN t.facets & 992 = 640 THEN CASE WHEN
    t.facets & 28 = 24 THEN 7 ELSE 4 + (t.facets & 3) END WHEN t.facets & 28 = 24 THEN 2 + (t.facets & 3)
    ELSE (t.facets & 3) END AS kind, sum(t.amount) AS amount
    FROM transactions t
    WHERE t.owner_id = $1 AND t.facets & 28 <> 4 AND greatest(t.paid_at) IS NOT NULL AND
    greatest(t.paid_at) >=
    (SELECT least((($2::date + 0)::timestamp AT TIME ZONE $3::text), CASE WHEN (((($2::date +
                0)::timestamp - ((((($2::date + 0)::timestamp AT TIME ZONE $3::text) - interval '24
                    hours') AT TIME ZONE $3::text) - (((($2::date + 0)::timestamp AT TIME ZONE $3::text) -
                    interval '24 hours') AT TIME ZONE 'UTC'))) AT TIME ZONE 'UTC') AT TIME ZONE $3::text)
        >= ($2::date + 0)::timestamp THEN ((($2::date + 0)::timestamp - ((((($2::date + 0)::timestamp AT
                    TIME ZONE $3::text) - interval '24 hours') AT TIME ZONE $3::text) - (((($2::date +
                      0)::timestamp AT TIME ZONE $3::text) - interval '24 hours') AT TIME ZONE 'UTC'))) AT
          TIME ZONE 'UTC') END)) AND greatest(t.paid_at) <
    (SELECT least((($4::date + 1)::timestamp AT TIME ZONE $3::text), CASE WHEN (((($4::date +
                1)::timestamp - ((((($4::date + 1)::timestamp AT TIME ZONE $3::text) - interval '24
                    hours') AT TIME ZONE $3::text) - (((($4::date + 1)::timestamp AT TIME ZONE $3::text) -
                    interval '24 hours') AT TIME ZONE 'UTC'))) AT TIME ZONE 'UTC') AT TIME ZONE $3::text)
        >= ($4::date + 1)::timestamp THEN ((($4::date + 1)::timestamp - ((((($4::date + 1)::timestamp AT
                    TIME ZONE $3::text) - interval '24 hours') AT TIME ZONE $3::text) - (((($4::date +
                      1)::timestamp AT TIME ZONE $3::text) - interval '24 hours') AT TIME ZONE 'UTC'))) AT
          TIME ZONE 'UTC') END)) AND true
    GROUP BY 1, 2, 3), sums AS MATERIALIZED
  (SELECT e.key0, e.key1, grouping(e.key0, e.key1) AS rest, coalesce(sum(e.amount) FILTER (WHERE e.kind IN
        (2)), 0.00) AS "income", coalesce(sum(e.amount) FILTER (WHERE e.kind IN (1)), 0.00) AS "expenses",
    coalesce(sum(e.amount) FILTER (WHERE e.kind IN (2)), 0.00) - coalesce(sum(e.amount) FILTER (WHERE
        e.kind IN (1)), 0.00) AS "net", coalesce(sum(e.amount) FILTER (WHERE e.kind IN (4)), 0.00) AS
    "refundedIncome", coalesce(sum(e.amount) FILTER (WHERE e.kind IN (3)), 0.00) AS "refundedExpenses",
    coalesce(sum(e.amount) FILTER (WHERE e.kind IN (6, 7)), 0.00) AS "depositsReceived",
    coalesce(sum(e.amount) FILTER (WHERE e.kind IN (5, 7)), 0.00) AS "depositsReturned",
    coalesce(sum(e.amount) FILTER (WHERE e.kind IN (6, 7)), 0.00) - coalesce(sum(e.amount) FILTER (WHERE
        e.kind IN (5, 7)), 0.00) AS "depositsHeld"
    FROM entries e
    GROUP BY GROUPING SETS ((), (e.key0), (e.key0, e.key1))) SELECT greatest(0, 0) AS periods, s.rest,
  s.key0 AS "propertyId", o.name AS "propertyName",
  ('{ADDITIONAL_GUEST_FEE,BOOKING_PAYMENT,CLEANING,CLEANING_FEE,FURNISHING,HOA_FEES,INSURANCE,LATE_CHECKOUT_FEE,LEGAL_PROFESSIONAL,MAINTENANCE,MARKETING,MORTGAGE,OTHER_EXPENSE,OTHER_INCOME,PERMITS_LICENSES,PLATFORM_FEES,PROPERTY_MANAGEMENT,PROPERTY_TAX,REPAIRS,SECURITY_DEPOSIT,SUPPLIES,TAXES,UTILITIES}'::text[])[s.key1
  >> 5] AS category, s.net, s.income + s."depositsReceived" AS income, s.expenses + s."depositsReturned"
  AS expenses
  FROM sums s LEFT JOIN properties o ON o.owner_id = $1 AND o.id = s.key0
  ORDER BY s.key0 NULLS LAST, s.key1 NULLS LAST, s.rest
  LIMIT 12002;

-- GET /api/reports/cash-flow

WITH span AS MATERIALIZED
  (SELECT s.first, least((s.first + make_interval(months => $3::integer))::date - 1, date '9999-12-31') AS
    last
    FROM
    (SELECT (now() AT TIME ZONE $2::text)::date AS first) s), owed AS MATERIALIZED
  (SELECT t.vendor, t.facets, t.amount, (t.paid_at IS NULL AND ((t.facets & 28) = 12 OR (t.due_date <
          now() AND (t.facets & 28) NOT IN (16, 4, 24)))) IS TRUE AS overdue, (t.due_date AT TIME ZONE
      $2::text)::date AS day
    FROM transactions t
    WHERE t.owner_id = $1 AND true AND (t.paid_at IS NULL AND (t.facets & 28) NOT IN (16, 4, 24))),
  recorded AS
  (SELECT t.id, t.property_id, t.facets, t.vendor, t.description, t.amount, greatest((t.date AT TIME ZONE
        $2::text)::date, date '0001-01-01') AS latest, greatest((last_value(t.date) OVER alike AT TIME
        ZONE $2::text)::date, date '0001-01-01') AS anchor, row_number() OVER alike AS age
    FROM transactions t
    WHERE t.owner_id = $1 AND true AND t.facets & 16384 <> 0 WINDOW alike AS (PARTITION BY t.property_id,
      t.facets & 492515, t.vendor COLLATE "C", t.description COLLATE "C"
      ORDER BY t.date DESC, t.id DESC ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)),
  occurrences AS MATERIALIZED
  (SELECT d.day, r.*
    FROM span p CROSS
    JOIN recorded r
    JOIN (VALUES (98304, 1, 0), (262144, 7, 0), (65536, 14, 0), (131072, 0, 1), (196608, 0, 3), (229376,
        0, 6), (32768, 0, 12)) f(bits, days, months) ON f.bits = r.facets & 491520 CROSS
    JOIN LATERAL
    (SELECT greatest(p.first, r.latest + 1) AS first) w CROSS
    JOIN LATERAL generate_series(CASE f.days WHEN 0 THEN ((extract(year
            FROM w.first) * 12 + extract(month
            FROM w.first))::integer - (extract(year
            FROM r.anchor) * 12 + extract(month
            FROM r.anchor))::integer) / f.months ELSE (w.first - r.anchor) / f.days END, CASE f.days WHEN
      0 THEN ((extract(year
            FROM p.last) * 12 + extract(month
            FROM p.last))::integer - (extract(year
            FROM r.anchor) * 12 + extract(month
            FROM r.anchor))::integer) / f.months ELSE (p.last - r.anchor) / f.days END) k CROSS
    JOIN LATERAL
    (SELECT (r.anchor + make_interval(months => k * f.months, days => k * f.days))::date AS day) d
    WHERE r.age = 1 AND r.facets & 28 <> 4 AND d.day BETWEEN w.first AND p.last
    LIMIT 2001) SELECT to_char(s.first, 'YYYY-MM-DD') AS from, to_char(s.last, 'YYYY-MM-DD') AS to,
  (SELECT CASE WHEN count(*) <= 1000 THEN
    (SELECT row_to_json(w)::text
      FROM ( SELECT coalesce(sum(v.payable), 0.00) AS payable, coalesce(sum(v.receivable), 0.00) AS
        receivable,
        coalesce(json_agg((SELECT row_to_json(v)
              FROM
              (SELECT v."dueOn", v."vendor", v."payable", v."receivable", v."transactions") v)
            ORDER BY v."dueOn", v.vendor COLLATE "C"), '[]') AS vendors) w) END
    FROM
    (SELECT min(o.day) AS "dueOn", o.vendor, coalesce(sum(o.amount) FILTER (WHERE o.facets & 3 = 1), 0.00)
      AS payable, coalesce(sum(o.amount) FILTER (WHERE o.facets & 3 = 2), 0.00) AS receivable, count(*) AS
      transactions
      FROM owed o CROSS
      JOIN span p
      WHERE o.overdue
      GROUP BY o.vendor) v) AS overdue,
  (SELECT CASE WHEN count(*) <= 1000 THEN
    (SELECT row_to_json(w)::text
      FROM ( SELECT coalesce(sum(v.payable), 0.00) AS payable, coalesce(sum(v.receivable), 0.00) AS
        receivable,
        coalesce(json_agg((SELECT row_to_json(v)
              FROM
              (SELECT v."dueOn", v."vendor", v."payable", v."receivable", v."transactions") v)
            ORDER BY v."dueOn", v.vendor COLLATE "C"), '[]') AS vendors) w) END
    FROM
    (SELECT min(o.day) AS "dueOn", o.vendor, coalesce(sum(o.amount) FILTER (WHERE o.facets & 3 = 1), 0.00)
      AS payable, coalesce(sum(o.amount) FILTER (WHERE o.facets & 3 = 2), 0.00) AS receivable, count(*) AS
      transactions
      FROM owed o CROSS
      JOIN span p
      WHERE NOT o.overdue AND (o.day IS NULL OR o.day <= p.last)
      GROUP BY o.vendor, o.day) v) AS due,
  (SELECT CASE WHEN count(*) <= 2000 THEN
    (SELECT row_to_json(w)::text
      FROM ( SELECT coalesce(sum(c.amount) FILTER (WHERE c.facets & 3 = 1), 0.00) AS payable,
        coalesce(sum(c.amount) FILTER (WHERE c.facets & 3 = 2), 0.00) AS receivable,
        coalesce(json_agg((SELECT row_to_json(v)
              FROM
              (SELECT to_char(c.day, 'YYYY-MM-DD') AS "date", c.id AS "transactionId", c.property_id AS
                "propertyId", o.name AS "propertyName", ('{EXPENSE,INCOME}'::text[])[(c.facets & 3) >> 0]
                AS "type",
                ('{ADDITIONAL_GUEST_FEE,BOOKING_PAYMENT,CLEANING,CLEANING_FEE,FURNISHING,HOA_FEES,INSURANCE,LATE_CHECKOUT_FEE,LEGAL_PROFESSIONAL,MAINTENANCE,MARKETING,MORTGAGE,OTHER_EXPENSE,OTHER_INCOME,PERMITS_LICENSES,PLATFORM_FEES,PROPERTY_MANAGEMENT,PROPERTY_TAX,REPAIRS,SECURITY_DEPOSIT,SUPPLIES,TAXES,UTILITIES}'::text[])[(c.facets
                  & 992) >> 5] AS "category",
                ('{ANNUALLY,BI_WEEKLY,DAILY,MONTHLY,ONE_TIME,QUARTERLY,SEMI_ANNUALLY,WEEKLY}'::text[])[(c.facets
                  & 491520) >> 15] AS "frequency", c.description AS "description", c.vendor AS "vendor",
                c.amount AS "amount") v)
            ORDER BY c.day, c.id), '[]') AS occurrences) w) END
    FROM occurrences c LEFT JOIN properties o ON o.owner_id = $1 AND o.id = c.property_id) AS upcoming
  FROM span s;
