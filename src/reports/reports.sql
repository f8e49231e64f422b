-- Written by npm run sql.

-- GET /api/reports/profit-and-loss?groupBy=property,month

WITH months AS MATERIALIZED
  (SELECT array_agg(least(p.start AT TIME ZONE $3::text, CASE WHEN ((p.start - interval '1 day') AT TIME
          ZONE $3::text AT TIME ZONE 'UTC' + interval '1 day') AT TIME ZONE 'UTC' AT TIME ZONE $3::text >=
        p.start THEN ((p.start - interval '1 day') AT TIME ZONE $3::text AT TIME ZONE 'UTC' + interval '1
          day') AT TIME ZONE 'UTC' END)
      ORDER BY p.start) AS starts
    FROM
    (SELECT min(t.date) AS first, max(t.date) AS last
      FROM transactions t
      WHERE t.owner_id = $1 AND ($4::date IS NULL OR $5::date IS NULL)) e,
    generate_series(date_trunc('month', coalesce($4::date, e.first AT TIME ZONE $3::text)),
      coalesce($5::date, e.last AT TIME ZONE $3::text), interval '1 month') p(start)), entries AS
  MATERIALIZED
  (SELECT t.property_id AS key0, width_bucket(t.date,
      (SELECT p.starts
        FROM months p)) AS key1, CASE WHEN t.facets & 992 = 640 THEN CASE WHEN t.facets & 28 = 24 THEN 7
    ELSE 4 + (t.facets & 3) END WHEN t.facets & 28 = 24 THEN 2 + (t.facets & 3) ELSE (t.facets & 3) END AS
    kind, sum(t.amount) AS amount
    FROM transactions t
    WHERE t.owner_id = $1 AND ($2::bigint IS NULL OR t.property_id = $2) AND ($4::date IS NULL OR t.date
      >= least($4::date::timestamp AT TIME ZONE $3::text, CASE WHEN (($4::date::timestamp - interval '1
            day') AT TIME ZONE $3::text AT TIME ZONE 'UTC' + interval '1 day') AT TIME ZONE 'UTC' AT TIME
        ZONE $3::text >= $4::date::timestamp THEN (($4::date::timestamp - interval '1 day') AT TIME ZONE
          $3::text AT TIME ZONE 'UTC' + interval '1 day') AT TIME ZONE 'UTC' END)) AND ($5::date IS NULL
      OR t.date < least(($5::date + 1)::timestamp AT TIME ZONE $3::text, CASE WHEN ((($5::date +
              1)::timestamp - interval '1 day') AT TIME ZONE $3::text AT TIME ZONE 'UTC' + interval '1
          day') AT TIME ZONE 'UTC' AT TIME ZONE $3::text >= ($5::date + 1)::timestamp THEN ((($5::date +
              1)::timestamp - interval '1 day') AT TIME ZONE $3::text AT TIME ZONE 'UTC' + interval '1
          day') AT TIME ZONE 'UTC' END)) AND t.facets & 28 <> 4 AND t.date IS NOT NULL
    GROUP BY 1, 2, 3), sums AS
  (SELECT e.key0, e.key1, num_nulls(e.key0, e.key1) AS rest, NULL::numeric AS count,
    coalesce(sum(e.amount) FILTER (WHERE e.kind IN (2)), 0.00) AS "income", coalesce(sum(e.amount) FILTER
      (WHERE e.kind IN (1)), 0.00) AS "expenses", coalesce(sum(e.amount) FILTER (WHERE e.kind IN (2)),
      0.00) - coalesce(sum(e.amount) FILTER (WHERE e.kind IN (1)), 0.00) AS "net", coalesce(sum(e.amount)
      FILTER (WHERE e.kind IN (4)), 0.00) AS "refundedIncome", coalesce(sum(e.amount) FILTER (WHERE e.kind
        IN (3)), 0.00) AS "refundedExpenses", coalesce(sum(e.amount) FILTER (WHERE e.kind IN (6, 7)),
      0.00) AS "depositsReceived", coalesce(sum(e.amount) FILTER (WHERE e.kind IN (5, 7)), 0.00) AS
    "depositsReturned", coalesce(sum(e.amount) FILTER (WHERE e.kind IN (6, 7)), 0.00) -
    coalesce(sum(e.amount) FILTER (WHERE e.kind IN (5, 7)), 0.00) AS "depositsHeld"
    FROM entries e
    GROUP BY ROLLUP (e.key0, e.key1) ) SELECT s.rest, (CASE s.rest WHEN 1 THEN
    (SELECT row_to_json(v)
      FROM
      (SELECT s."income", s."expenses", s."net", s."refundedIncome", s."refundedExpenses",
        s."depositsReceived", s."depositsReturned", s."depositsHeld", s.key0 AS "propertyId",
        (SELECT o.name
          FROM properties o
          WHERE o.owner_id = $1 AND o.id = s.key0) AS "propertyName", NULL AS "category", NULL AS
        "period") v) WHEN 0 THEN
    (SELECT row_to_json(v)
      FROM
      (SELECT s."income", s."expenses", s."net", s."refundedIncome", s."refundedExpenses",
        s."depositsReceived", s."depositsReturned", s."depositsHeld", NULL AS "propertyId", NULL AS
        "propertyName", NULL AS "category",
        to_char((SELECT p.starts
            FROM months p)[s.key1] AT TIME ZONE $3::text, 'YYYY-MM') AS "period") v) WHEN 2 THEN
    (SELECT row_to_json(v)
      FROM
      (SELECT s."income", s."expenses", s."net", s."refundedIncome", s."refundedExpenses",
        s."depositsReceived", s."depositsReturned", s."depositsHeld") v) ELSE
    (SELECT row_to_json(v)
      FROM
      (SELECT s.count, s.income, s.expenses) v) END)::text AS line
  FROM sums s
  ORDER BY s.key0 NULLS LAST, s.key1 NULLS LAST, s.rest
  LIMIT 5003;

-- GET /api/reports/tax-year?year=2026

WITH entries AS MATERIALIZED
  (SELECT t.facets & 992 AS key0, t.property_id AS key1, CASE WHEN t.facets & 992 = 640 THEN CASE WHEN
    t.facets & 28 = 24 THEN 7 ELSE 4 + (t.facets & 3) END WHEN t.facets & 28 = 24 THEN 2 + (t.facets & 3)
    ELSE (t.facets & 3) END AS kind, sum(t.amount) AS amount
    FROM transactions t
    WHERE t.owner_id = $1 AND ($2::bigint IS NULL OR t.property_id = $2) AND ($4::date IS NULL OR
      t.paid_at >= least($4::date::timestamp AT TIME ZONE $3::text, CASE WHEN (($4::date::timestamp -
            interval '1 day') AT TIME ZONE $3::text AT TIME ZONE 'UTC' + interval '1 day') AT TIME ZONE
        'UTC' AT TIME ZONE $3::text >= $4::date::timestamp THEN (($4::date::timestamp - interval '1 day')
          AT TIME ZONE $3::text AT TIME ZONE 'UTC' + interval '1 day') AT TIME ZONE 'UTC' END)) AND
    ($5::date IS NULL OR t.paid_at < least(($5::date + 1)::timestamp AT TIME ZONE $3::text, CASE WHEN
        ((($5::date + 1)::timestamp - interval '1 day') AT TIME ZONE $3::text AT TIME ZONE 'UTC' +
          interval '1 day') AT TIME ZONE 'UTC' AT TIME ZONE $3::text >= ($5::date + 1)::timestamp THEN
        ((($5::date + 1)::timestamp - interval '1 day') AT TIME ZONE $3::text AT TIME ZONE 'UTC' +
          interval '1 day') AT TIME ZONE 'UTC' END)) AND t.facets & 28 <> 4 AND t.paid_at IS NOT NULL
    GROUP BY 1, 2, 3), sums AS
  (SELECT e.key0, e.key1, num_nulls(e.key0, e.key1) AS rest, NULL::numeric AS count,
    coalesce(sum(e.amount) FILTER (WHERE e.kind IN (2)), 0.00) AS "income", coalesce(sum(e.amount) FILTER
      (WHERE e.kind IN (1)), 0.00) AS "expenses", coalesce(sum(e.amount) FILTER (WHERE e.kind IN (2)),
      0.00) - coalesce(sum(e.amount) FILTER (WHERE e.kind IN (1)), 0.00) AS "net", coalesce(sum(e.amount)
      FILTER (WHERE e.kind IN (4)), 0.00) AS "refundedIncome", coalesce(sum(e.amount) FILTER (WHERE e.kind
        IN (3)), 0.00) AS "refundedExpenses", coalesce(sum(e.amount) FILTER (WHERE e.kind IN (6, 7)),
      0.00) AS "depositsReceived", coalesce(sum(e.amount) FILTER (WHERE e.kind IN (5, 7)), 0.00) AS
    "depositsReturned", coalesce(sum(e.amount) FILTER (WHERE e.kind IN (6, 7)), 0.00) -
    coalesce(sum(e.amount) FILTER (WHERE e.kind IN (5, 7)), 0.00) AS "depositsHeld"
    FROM entries e
    GROUP BY ROLLUP (e.key0, e.key1)
    UNION ALL SELECT NULL, NULL, 3, coalesce(sum(e.count), 0), coalesce(sum(e.amount) FILTER (WHERE e.kind
        IN (2)), 0.00) AS "income", coalesce(sum(e.amount) FILTER (WHERE e.kind IN (1)), 0.00) AS
    "expenses", coalesce(sum(e.amount) FILTER (WHERE e.kind IN (2)), 0.00) - coalesce(sum(e.amount) FILTER
      (WHERE e.kind IN (1)), 0.00) AS "net", coalesce(sum(e.amount) FILTER (WHERE e.kind IN (4)), 0.00) AS
    "refundedIncome", coalesce(sum(e.amount) FILTER (WHERE e.kind IN (3)), 0.00) AS "refundedExpenses",
    coalesce(sum(e.amount) FILTER (WHERE e.kind IN (6, 7)), 0.00) AS "depositsReceived",
    coalesce(sum(e.amount) FILTER (WHERE e.kind IN (5, 7)), 0.00) AS "depositsReturned",
    coalesce(sum(e.amount) FILTER (WHERE e.kind IN (6, 7)), 0.00) - coalesce(sum(e.amount) FILTER (WHERE
        e.kind IN (5, 7)), 0.00) AS "depositsHeld"
    FROM
    (SELECT CASE WHEN t.facets & 992 = 640 THEN CASE WHEN t.facets & 28 = 24 THEN 7 ELSE 4 + (t.facets &
        3) END WHEN t.facets & 28 = 24 THEN 2 + (t.facets & 3) ELSE (t.facets & 3) END AS kind,
      sum(t.amount) AS amount, count(*) AS count
      FROM transactions t
      WHERE t.owner_id = $1 AND ($2::bigint IS NULL OR t.property_id = $2) AND ($4::date IS NULL OR t.date
        >= least($4::date::timestamp AT TIME ZONE $3::text, CASE WHEN (($4::date::timestamp - interval '1
              day') AT TIME ZONE $3::text AT TIME ZONE 'UTC' + interval '1 day') AT TIME ZONE 'UTC' AT
          TIME ZONE $3::text >= $4::date::timestamp THEN (($4::date::timestamp - interval '1 day') AT TIME
            ZONE $3::text AT TIME ZONE 'UTC' + interval '1 day') AT TIME ZONE 'UTC' END)) AND ($5::date IS
        NULL OR t.date < least(($5::date + 1)::timestamp AT TIME ZONE $3::text, CASE WHEN ((($5::date +
                1)::timestamp - interval '1 day') AT TIME ZONE $3::text AT TIME ZONE 'UTC' + interval '1
            day') AT TIME ZONE 'UTC' AT TIME ZONE $3::text >= ($5::date + 1)::timestamp THEN ((($5::date +
                1)::timestamp - interval '1 day') AT TIME ZONE $3::text AT TIME ZONE 'UTC' + interval '1
            day') AT TIME ZONE 'UTC' END)) AND t.paid_at IS NULL AND t.facets & 28 = 16
      GROUP BY 1) e), sheets AS
  (SELECT s.key1 AS property, '"lines":[' || '{"line":3,"label":"Rents received","amount":' ||
    coalesce(sum(s.net) FILTER (WHERE s.key0 = ANY ('{64,128,256,32,448}'::integer[])), 0.00) ||
    ',"categories":["BOOKING_PAYMENT","CLEANING_FEE","LATE_CHECKOUT_FEE","ADDITIONAL_GUEST_FEE","OTHER_INCOME"],"items":'
    ||
    coalesce(json_agg((SELECT row_to_json(v)
          FROM
          (SELECT
            ('{ADDITIONAL_GUEST_FEE,BOOKING_PAYMENT,CLEANING,CLEANING_FEE,FURNISHING,HOA_FEES,INSURANCE,LATE_CHECKOUT_FEE,LEGAL_PROFESSIONAL,MAINTENANCE,MARKETING,MORTGAGE,OTHER_EXPENSE,OTHER_INCOME,PERMITS_LICENSES,PLATFORM_FEES,PROPERTY_MANAGEMENT,PROPERTY_TAX,REPAIRS,SECURITY_DEPOSIT,SUPPLIES,TAXES,UTILITIES}'::text[])[s.key0
            >> 5] AS category, s.net AS amount) v)
        ORDER BY s.key0) FILTER (WHERE s.key0 = ANY ('{64,128,256,32,448}'::integer[]) AND s.net <> 0),
      '[]') || '}' || ',' || '{"line":5,"label":"Advertising","amount":' || -coalesce(sum(s.net) FILTER
      (WHERE s.key0 = ANY ('{352}'::integer[])), 0.00) || ',"categories":["MARKETING"],"items":' ||
    coalesce(json_agg((SELECT row_to_json(v)
          FROM
          (SELECT
            ('{ADDITIONAL_GUEST_FEE,BOOKING_PAYMENT,CLEANING,CLEANING_FEE,FURNISHING,HOA_FEES,INSURANCE,LATE_CHECKOUT_FEE,LEGAL_PROFESSIONAL,MAINTENANCE,MARKETING,MORTGAGE,OTHER_EXPENSE,OTHER_INCOME,PERMITS_LICENSES,PLATFORM_FEES,PROPERTY_MANAGEMENT,PROPERTY_TAX,REPAIRS,SECURITY_DEPOSIT,SUPPLIES,TAXES,UTILITIES}'::text[])[s.key0
            >> 5] AS category, -s.net AS amount) v)
        ORDER BY s.key0) FILTER (WHERE s.key0 = ANY ('{352}'::integer[]) AND s.net <> 0), '[]') || '}' ||
    ',' || '{"line":6,"label":"Auto and travel","amount":' || -coalesce(sum(s.net) FILTER (WHERE s.key0 =
        ANY ('{}'::integer[])), 0.00) || ',"categories":[],"items":' ||
    coalesce(json_agg((SELECT row_to_json(v)
          FROM
          (SELECT
            ('{ADDITIONAL_GUEST_FEE,BOOKING_PAYMENT,CLEANING,CLEANING_FEE,FURNISHING,HOA_FEES,INSURANCE,LATE_CHECKOUT_FEE,LEGAL_PROFESSIONAL,MAINTENANCE,MARKETING,MORTGAGE,OTHER_EXPENSE,OTHER_INCOME,PERMITS_LICENSES,PLATFORM_FEES,PROPERTY_MANAGEMENT,PROPERTY_TAX,REPAIRS,SECURITY_DEPOSIT,SUPPLIES,TAXES,UTILITIES}'::text[])[s.key0
            >> 5] AS category, -s.net AS amount) v)
        ORDER BY s.key0) FILTER (WHERE s.key0 = ANY ('{}'::integer[]) AND s.net <> 0), '[]') || '}' || ','
    || '{"line":7,"label":"Cleaning and maintenance","amount":' || -coalesce(sum(s.net) FILTER (WHERE
        s.key0 = ANY ('{96,320}'::integer[])), 0.00) ||
    ',"categories":["CLEANING","MAINTENANCE"],"items":' ||
    coalesce(json_agg((SELECT row_to_json(v)
          FROM
          (SELECT
            ('{ADDITIONAL_GUEST_FEE,BOOKING_PAYMENT,CLEANING,CLEANING_FEE,FURNISHING,HOA_FEES,INSURANCE,LATE_CHECKOUT_FEE,LEGAL_PROFESSIONAL,MAINTENANCE,MARKETING,MORTGAGE,OTHER_EXPENSE,OTHER_INCOME,PERMITS_LICENSES,PLATFORM_FEES,PROPERTY_MANAGEMENT,PROPERTY_TAX,REPAIRS,SECURITY_DEPOSIT,SUPPLIES,TAXES,UTILITIES}'::text[])[s.key0
            >> 5] AS category, -s.net AS amount) v)
        ORDER BY s.key0) FILTER (WHERE s.key0 = ANY ('{96,320}'::integer[]) AND s.net <> 0), '[]') || '}'
    || ',' || '{"line":8,"label":"Commissions","amount":' || -coalesce(sum(s.net) FILTER (WHERE s.key0 =
        ANY ('{512}'::integer[])), 0.00) || ',"categories":["PLATFORM_FEES"],"items":' ||
    coalesce(json_agg((SELECT row_to_json(v)
          FROM
          (SELECT
            ('{ADDITIONAL_GUEST_FEE,BOOKING_PAYMENT,CLEANING,CLEANING_FEE,FURNISHING,HOA_FEES,INSURANCE,LATE_CHECKOUT_FEE,LEGAL_PROFESSIONAL,MAINTENANCE,MARKETING,MORTGAGE,OTHER_EXPENSE,OTHER_INCOME,PERMITS_LICENSES,PLATFORM_FEES,PROPERTY_MANAGEMENT,PROPERTY_TAX,REPAIRS,SECURITY_DEPOSIT,SUPPLIES,TAXES,UTILITIES}'::text[])[s.key0
            >> 5] AS category, -s.net AS amount) v)
        ORDER BY s.key0) FILTER (WHERE s.key0 = ANY ('{512}'::integer[]) AND s.net <> 0), '[]') || '}' ||
    ',' || '{"line":9,"label":"Insurance","amount":' || -coalesce(sum(s.net) FILTER (WHERE s.key0 = ANY
        ('{224}'::integer[])), 0.00) || ',"categories":["INSURANCE"],"items":' ||
    coalesce(json_agg((SELECT row_to_json(v)
          FROM
          (SELECT
            ('{ADDITIONAL_GUEST_FEE,BOOKING_PAYMENT,CLEANING,CLEANING_FEE,FURNISHING,HOA_FEES,INSURANCE,LATE_CHECKOUT_FEE,LEGAL_PROFESSIONAL,MAINTENANCE,MARKETING,MORTGAGE,OTHER_EXPENSE,OTHER_INCOME,PERMITS_LICENSES,PLATFORM_FEES,PROPERTY_MANAGEMENT,PROPERTY_TAX,REPAIRS,SECURITY_DEPOSIT,SUPPLIES,TAXES,UTILITIES}'::text[])[s.key0
            >> 5] AS category, -s.net AS amount) v)
        ORDER BY s.key0) FILTER (WHERE s.key0 = ANY ('{224}'::integer[]) AND s.net <> 0), '[]') || '}' ||
    ',' || '{"line":10,"label":"Legal and other professional fees","amount":' || -coalesce(sum(s.net)
      FILTER (WHERE s.key0 = ANY ('{288}'::integer[])), 0.00) ||
    ',"categories":["LEGAL_PROFESSIONAL"],"items":' ||
    coalesce(json_agg((SELECT row_to_json(v)
          FROM
          (SELECT
            ('{ADDITIONAL_GUEST_FEE,BOOKING_PAYMENT,CLEANING,CLEANING_FEE,FURNISHING,HOA_FEES,INSURANCE,LATE_CHECKOUT_FEE,LEGAL_PROFESSIONAL,MAINTENANCE,MARKETING,MORTGAGE,OTHER_EXPENSE,OTHER_INCOME,PERMITS_LICENSES,PLATFORM_FEES,PROPERTY_MANAGEMENT,PROPERTY_TAX,REPAIRS,SECURITY_DEPOSIT,SUPPLIES,TAXES,UTILITIES}'::text[])[s.key0
            >> 5] AS category, -s.net AS amount) v)
        ORDER BY s.key0) FILTER (WHERE s.key0 = ANY ('{288}'::integer[]) AND s.net <> 0), '[]') || '}' ||
    ',' || '{"line":11,"label":"Management fees","amount":' || -coalesce(sum(s.net) FILTER (WHERE s.key0 =
        ANY ('{544}'::integer[])), 0.00) || ',"categories":["PROPERTY_MANAGEMENT"],"items":' ||
    coalesce(json_agg((SELECT row_to_json(v)
          FROM
          (SELECT
            ('{ADDITIONAL_GUEST_FEE,BOOKING_PAYMENT,CLEANING,CLEANING_FEE,FURNISHING,HOA_FEES,INSURANCE,LATE_CHECKOUT_FEE,LEGAL_PROFESSIONAL,MAINTENANCE,MARKETING,MORTGAGE,OTHER_EXPENSE,OTHER_INCOME,PERMITS_LICENSES,PLATFORM_FEES,PROPERTY_MANAGEMENT,PROPERTY_TAX,REPAIRS,SECURITY_DEPOSIT,SUPPLIES,TAXES,UTILITIES}'::text[])[s.key0
            >> 5] AS category, -s.net AS amount) v)
        ORDER BY s.key0) FILTER (WHERE s.key0 = ANY ('{544}'::integer[]) AND s.net <> 0), '[]') || '}' ||
    ',' || '{"line":12,"label":"Mortgage interest paid to banks, etc.","amount":' || -coalesce(sum(s.net)
      FILTER (WHERE s.key0 = ANY ('{}'::integer[])), 0.00) || ',"categories":[],"items":' ||
    coalesce(json_agg((SELECT row_to_json(v)
          FROM
          (SELECT
            ('{ADDITIONAL_GUEST_FEE,BOOKING_PAYMENT,CLEANING,CLEANING_FEE,FURNISHING,HOA_FEES,INSURANCE,LATE_CHECKOUT_FEE,LEGAL_PROFESSIONAL,MAINTENANCE,MARKETING,MORTGAGE,OTHER_EXPENSE,OTHER_INCOME,PERMITS_LICENSES,PLATFORM_FEES,PROPERTY_MANAGEMENT,PROPERTY_TAX,REPAIRS,SECURITY_DEPOSIT,SUPPLIES,TAXES,UTILITIES}'::text[])[s.key0
            >> 5] AS category, -s.net AS amount) v)
        ORDER BY s.key0) FILTER (WHERE s.key0 = ANY ('{}'::integer[]) AND s.net <> 0), '[]') || '}' || ','
    || '{"line":13,"label":"Other interest","amount":' || -coalesce(sum(s.net) FILTER (WHERE s.key0 = ANY
        ('{}'::integer[])), 0.00) || ',"categories":[],"items":' ||
    coalesce(json_agg((SELECT row_to_json(v)
          FROM
          (SELECT
            ('{ADDITIONAL_GUEST_FEE,BOOKING_PAYMENT,CLEANING,CLEANING_FEE,FURNISHING,HOA_FEES,INSURANCE,LATE_CHECKOUT_FEE,LEGAL_PROFESSIONAL,MAINTENANCE,MARKETING,MORTGAGE,OTHER_EXPENSE,OTHER_INCOME,PERMITS_LICENSES,PLATFORM_FEES,PROPERTY_MANAGEMENT,PROPERTY_TAX,REPAIRS,SECURITY_DEPOSIT,SUPPLIES,TAXES,UTILITIES}'::text[])[s.key0
            >> 5] AS category, -s.net AS amount) v)
        ORDER BY s.key0) FILTER (WHERE s.key0 = ANY ('{}'::integer[]) AND s.net <> 0), '[]') || '}' || ','
    || '{"line":14,"label":"Repairs","amount":' || -coalesce(sum(s.net) FILTER (WHERE s.key0 = ANY
        ('{608}'::integer[])), 0.00) || ',"categories":["REPAIRS"],"items":' ||
    coalesce(json_agg((SELECT row_to_json(v)
          FROM
          (SELECT
            ('{ADDITIONAL_GUEST_FEE,BOOKING_PAYMENT,CLEANING,CLEANING_FEE,FURNISHING,HOA_FEES,INSURANCE,LATE_CHECKOUT_FEE,LEGAL_PROFESSIONAL,MAINTENANCE,MARKETING,MORTGAGE,OTHER_EXPENSE,OTHER_INCOME,PERMITS_LICENSES,PLATFORM_FEES,PROPERTY_MANAGEMENT,PROPERTY_TAX,REPAIRS,SECURITY_DEPOSIT,SUPPLIES,TAXES,UTILITIES}'::text[])[s.key0
            >> 5] AS category, -s.net AS amount) v)
        ORDER BY s.key0) FILTER (WHERE s.key0 = ANY ('{608}'::integer[]) AND s.net <> 0), '[]') || '}' ||
    ',' || '{"line":15,"label":"Supplies","amount":' || -coalesce(sum(s.net) FILTER (WHERE s.key0 = ANY
        ('{672}'::integer[])), 0.00) || ',"categories":["SUPPLIES"],"items":' ||
    coalesce(json_agg((SELECT row_to_json(v)
          FROM
          (SELECT
            ('{ADDITIONAL_GUEST_FEE,BOOKING_PAYMENT,CLEANING,CLEANING_FEE,FURNISHING,HOA_FEES,INSURANCE,LATE_CHECKOUT_FEE,LEGAL_PROFESSIONAL,MAINTENANCE,MARKETING,MORTGAGE,OTHER_EXPENSE,OTHER_INCOME,PERMITS_LICENSES,PLATFORM_FEES,PROPERTY_MANAGEMENT,PROPERTY_TAX,REPAIRS,SECURITY_DEPOSIT,SUPPLIES,TAXES,UTILITIES}'::text[])[s.key0
            >> 5] AS category, -s.net AS amount) v)
        ORDER BY s.key0) FILTER (WHERE s.key0 = ANY ('{672}'::integer[]) AND s.net <> 0), '[]') || '}' ||
    ',' || '{"line":16,"label":"Taxes","amount":' || -coalesce(sum(s.net) FILTER (WHERE s.key0 = ANY
        ('{576,704}'::integer[])), 0.00) || ',"categories":["PROPERTY_TAX","TAXES"],"items":' ||
    coalesce(json_agg((SELECT row_to_json(v)
          FROM
          (SELECT
            ('{ADDITIONAL_GUEST_FEE,BOOKING_PAYMENT,CLEANING,CLEANING_FEE,FURNISHING,HOA_FEES,INSURANCE,LATE_CHECKOUT_FEE,LEGAL_PROFESSIONAL,MAINTENANCE,MARKETING,MORTGAGE,OTHER_EXPENSE,OTHER_INCOME,PERMITS_LICENSES,PLATFORM_FEES,PROPERTY_MANAGEMENT,PROPERTY_TAX,REPAIRS,SECURITY_DEPOSIT,SUPPLIES,TAXES,UTILITIES}'::text[])[s.key0
            >> 5] AS category, -s.net AS amount) v)
        ORDER BY s.key0) FILTER (WHERE s.key0 = ANY ('{576,704}'::integer[]) AND s.net <> 0), '[]') || '}'
    || ',' || '{"line":17,"label":"Utilities","amount":' || -coalesce(sum(s.net) FILTER (WHERE s.key0 =
        ANY ('{736}'::integer[])), 0.00) || ',"categories":["UTILITIES"],"items":' ||
    coalesce(json_agg((SELECT row_to_json(v)
          FROM
          (SELECT
            ('{ADDITIONAL_GUEST_FEE,BOOKING_PAYMENT,CLEANING,CLEANING_FEE,FURNISHING,HOA_FEES,INSURANCE,LATE_CHECKOUT_FEE,LEGAL_PROFESSIONAL,MAINTENANCE,MARKETING,MORTGAGE,OTHER_EXPENSE,OTHER_INCOME,PERMITS_LICENSES,PLATFORM_FEES,PROPERTY_MANAGEMENT,PROPERTY_TAX,REPAIRS,SECURITY_DEPOSIT,SUPPLIES,TAXES,UTILITIES}'::text[])[s.key0
            >> 5] AS category, -s.net AS amount) v)
        ORDER BY s.key0) FILTER (WHERE s.key0 = ANY ('{736}'::integer[]) AND s.net <> 0), '[]') || '}' ||
    ',' || '{"line":18,"label":"Depreciation expense or depletion","amount":' || -coalesce(sum(s.net)
      FILTER (WHERE s.key0 = ANY ('{}'::integer[])), 0.00) || ',"categories":[],"items":' ||
    coalesce(json_agg((SELECT row_to_json(v)
          FROM
          (SELECT
            ('{ADDITIONAL_GUEST_FEE,BOOKING_PAYMENT,CLEANING,CLEANING_FEE,FURNISHING,HOA_FEES,INSURANCE,LATE_CHECKOUT_FEE,LEGAL_PROFESSIONAL,MAINTENANCE,MARKETING,MORTGAGE,OTHER_EXPENSE,OTHER_INCOME,PERMITS_LICENSES,PLATFORM_FEES,PROPERTY_MANAGEMENT,PROPERTY_TAX,REPAIRS,SECURITY_DEPOSIT,SUPPLIES,TAXES,UTILITIES}'::text[])[s.key0
            >> 5] AS category, -s.net AS amount) v)
        ORDER BY s.key0) FILTER (WHERE s.key0 = ANY ('{}'::integer[]) AND s.net <> 0), '[]') || '}' || ','
    || '{"line":19,"label":"Other","amount":' || -coalesce(sum(s.net) FILTER (WHERE s.key0 = ANY
        ('{416,192,480}'::integer[])), 0.00) ||
    ',"categories":["OTHER_EXPENSE","HOA_FEES","PERMITS_LICENSES"],"items":' ||
    coalesce(json_agg((SELECT row_to_json(v)
          FROM
          (SELECT
            ('{ADDITIONAL_GUEST_FEE,BOOKING_PAYMENT,CLEANING,CLEANING_FEE,FURNISHING,HOA_FEES,INSURANCE,LATE_CHECKOUT_FEE,LEGAL_PROFESSIONAL,MAINTENANCE,MARKETING,MORTGAGE,OTHER_EXPENSE,OTHER_INCOME,PERMITS_LICENSES,PLATFORM_FEES,PROPERTY_MANAGEMENT,PROPERTY_TAX,REPAIRS,SECURITY_DEPOSIT,SUPPLIES,TAXES,UTILITIES}'::text[])[s.key0
            >> 5] AS category, -s.net AS amount) v)
        ORDER BY s.key0) FILTER (WHERE s.key0 = ANY ('{416,192,480}'::integer[]) AND s.net <> 0), '[]') ||
    '}' || '],"totalExpenses":' || -coalesce(sum(s.net) FILTER (WHERE s.key0 = ANY
        ('{96,320,736,672,224,576,512,352,416,704,192,608,544,480,288}'::integer[])), 0.00) || ',"net":'
    || coalesce(sum(s.net) FILTER (WHERE s.key0 = ANY
        ('{64,128,256,32,448,96,320,736,672,224,576,512,352,416,704,192,608,544,480,288}'::integer[])),
      0.00) || ',"apart":' ||
    coalesce(json_agg((SELECT row_to_json(v)
          FROM
          (SELECT
            ('{ADDITIONAL_GUEST_FEE,BOOKING_PAYMENT,CLEANING,CLEANING_FEE,FURNISHING,HOA_FEES,INSURANCE,LATE_CHECKOUT_FEE,LEGAL_PROFESSIONAL,MAINTENANCE,MARKETING,MORTGAGE,OTHER_EXPENSE,OTHER_INCOME,PERMITS_LICENSES,PLATFORM_FEES,PROPERTY_MANAGEMENT,PROPERTY_TAX,REPAIRS,SECURITY_DEPOSIT,SUPPLIES,TAXES,UTILITIES}'::text[])[s.key0
            >> 5] AS category, s.income + s."depositsReceived" AS income, s.expenses +
            s."depositsReturned" AS expenses, '{"SECURITY_DEPOSIT":"A liability as long as it may have to
            be given back.","MORTGAGE":"Holds interest and principal: the interest alone is deductible, on
            line 12.","FURNISHING":"Is capitalised as a rule: its depreciation is deductible, on line
            18."}'::json ->>
            ('{ADDITIONAL_GUEST_FEE,BOOKING_PAYMENT,CLEANING,CLEANING_FEE,FURNISHING,HOA_FEES,INSURANCE,LATE_CHECKOUT_FEE,LEGAL_PROFESSIONAL,MAINTENANCE,MARKETING,MORTGAGE,OTHER_EXPENSE,OTHER_INCOME,PERMITS_LICENSES,PLATFORM_FEES,PROPERTY_MANAGEMENT,PROPERTY_TAX,REPAIRS,SECURITY_DEPOSIT,SUPPLIES,TAXES,UTILITIES}'::text[])[s.key0
            >> 5] AS note) v)
        ORDER BY s.key0) FILTER (WHERE s.key0 = ANY ('{640,384,160}'::integer[]) AND (s.income +
          s."depositsReceived" > 0 OR s.expenses + s."depositsReturned" > 0)), '[]') AS sheet
    FROM sums s
    GROUP BY 1
    ORDER BY 1 NULLS FIRST
    LIMIT 502) SELECT min('{' || s.sheet || '}') FILTER (WHERE s.property IS NULL) AS total, CASE WHEN
  count(*) <= 501 THEN concat('[', string_agg( format('{%s,"propertyId":%s,"propertyName":%s}', s.sheet,
        s.property,
        to_json((SELECT o.name
            FROM properties o
            WHERE o.owner_id = $1 AND o.id = s.property))), ','
      ORDER BY s.property) FILTER (WHERE s.property IS NOT NULL), ']') END AS properties,
  (SELECT
    (SELECT row_to_json(v)
      FROM
      (SELECT s.count, s.income, s.expenses) v)
    FROM sums s
    WHERE s.rest = 3)::text AS "paidWithoutDate"
  FROM sheets s;

-- GET /api/reports/cash-flow

WITH span AS MATERIALIZED
  (SELECT s.first, least((s.first + make_interval(months => $5::integer))::date - 1, date '9999-12-31') AS
    last
    FROM
    (SELECT coalesce($4::date, (now() AT TIME ZONE $3::text)::date) AS first) s), owed AS MATERIALIZED
  (SELECT t.vendor, t.facets, t.amount, (t.paid_at IS NULL AND ((t.facets & 28) = 12 OR (t.due_date <
          now() AND (t.facets & 28) NOT IN (16, 4, 24)))) IS TRUE AS overdue, CASE WHEN t.due_date IS NOT
    NULL THEN least(greatest((t.due_date AT TIME ZONE $3::text)::date, date '0001-01-01'), date
      '9999-12-31') END AS day
    FROM transactions t
    WHERE t.owner_id = $1 AND ($2::bigint IS NULL OR t.property_id = $2) AND (t.paid_at IS NULL AND
      (t.facets & 28) NOT IN (16, 4, 24))), recorded AS
  (SELECT t.id, t.property_id, t.facets, t.vendor, t.description, t.amount, CASE WHEN t.date IS NOT NULL
    THEN least(greatest((t.date AT TIME ZONE $3::text)::date, date '0001-01-01'), date '9999-12-31') END
    AS latest, CASE WHEN last_value(t.date) OVER alike IS NOT NULL THEN least(greatest((last_value(t.date)
          OVER alike AT TIME ZONE $3::text)::date, date '0001-01-01'), date '9999-12-31') END AS anchor,
    row_number() OVER alike AS age
    FROM transactions t
    WHERE t.owner_id = $1 AND ($2::bigint IS NULL OR t.property_id = $2) AND t.facets & 16384 <> 0 WINDOW
    alike AS (PARTITION BY t.property_id, t.facets & 492515, t.vendor COLLATE "C", t.description COLLATE
      "C"
      ORDER BY t.date DESC, t.id DESC ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)),
  occurrences AS MATERIALIZED
  (SELECT d.day, r.*
    FROM span p CROSS
    JOIN recorded r
    JOIN (VALUES (98304, interval '1 day', 1), (262144, interval '7 days', 7), (65536, interval '14 days',
        14), (131072, interval '1 month', 30.436875), (196608, interval '3 months', 91.310625), (229376,
        interval '6 months', 182.62125), (32768, interval '1 year', 365.2425)) f(bits, step, days) ON
    f.bits = r.facets & 491520 CROSS
    JOIN LATERAL
    (SELECT greatest(p.first, r.latest + 1) AS first) w CROSS
    JOIN LATERAL generate_series(floor((w.first - r.anchor) / f.days), (p.last - r.anchor) / f.days + 1) k
    CROSS
    JOIN LATERAL
    (SELECT (r.anchor + k * f.step)::date AS day) d
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
              (SELECT to_char(c.day, 'YYYY-MM-DD') AS date, c.id AS "transactionId", c.property_id AS
                "propertyId", o.name AS "propertyName", ('{EXPENSE,INCOME}'::text[])[(c.facets & 3) >> 0]
                AS type,
                ('{ADDITIONAL_GUEST_FEE,BOOKING_PAYMENT,CLEANING,CLEANING_FEE,FURNISHING,HOA_FEES,INSURANCE,LATE_CHECKOUT_FEE,LEGAL_PROFESSIONAL,MAINTENANCE,MARKETING,MORTGAGE,OTHER_EXPENSE,OTHER_INCOME,PERMITS_LICENSES,PLATFORM_FEES,PROPERTY_MANAGEMENT,PROPERTY_TAX,REPAIRS,SECURITY_DEPOSIT,SUPPLIES,TAXES,UTILITIES}'::text[])[(c.facets
                  & 992) >> 5] AS category,
                ('{ANNUALLY,BI_WEEKLY,DAILY,MONTHLY,ONE_TIME,QUARTERLY,SEMI_ANNUALLY,WEEKLY}'::text[])[(c.facets
                  & 491520) >> 15] AS frequency, c.description, c.vendor, c.amount) v)
            ORDER BY c.day, c.id), '[]') AS occurrences) w) END
    FROM occurrences c LEFT JOIN properties o ON o.owner_id = $1 AND o.id = c.property_id) AS upcoming
  FROM span s;
