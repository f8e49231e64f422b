-- Written by npm run sql.

-- :transactionJson

format('{"id":%s,"propertyId":%s,"propertyName":%s,"bookingReference":%s,"bookingId":%s,"type":"%s","category":"%s","subcategory":%s,"description":%s,"amount":%s,"status":"%s","paymentMethod":%s,"paymentReference":%s,"recurring":%s,"frequency":%s,"vendor":%s,"receiptUrl":%s,"notes":%s,"taxDetails":%s,"refund":%s,"tags":%s,"metadata":%s,"approvalStatus":%s,"approvedBy":%s,"approvedDate":%s,"date":%s,"dueDate":%s,"paidAt":%s,"createdAt":%s,"updatedAt":%s}',
    t.id, t.property_id, to_json(t.property_name), coalesce(to_json(t.booking_reference), 'null'),
    coalesce(t.booking_id::text, 'null'), t.type, t.category, coalesce(to_json(t.subcategory), 'null'),
    to_json(t.description), t.amount, t.status, coalesce('"' || t.payment_method || '"', 'null'),
    coalesce(to_json(t.payment_reference), 'null'), to_json(t.recurring), coalesce('"' || t.frequency ||
      '"', 'null'), coalesce(to_json(t.vendor), 'null'), coalesce(to_json(t.receipt_url), 'null'),
    coalesce(to_json(t.notes), 'null'), coalesce(CASE WHEN num_nonnulls(t.tax_taxable, t.tax_category,
        t.tax_amount, t.tax_deductible, t.tax_deduction_category) > 0 THEN json_build_object('taxable',
        t.tax_taxable, 'taxCategory', t.tax_category, 'taxAmount', t.tax_amount, 'deductible',
        t.tax_deductible, 'deductionCategory', t.tax_deduction_category) END, 'null'), coalesce(CASE WHEN
      num_nonnulls(t.refund_amount, t.refund_date, t.refund_reason, t.refund_reference) > 0 THEN
      json_build_object('refundAmount', t.refund_amount, 'refundDate', to_char(t.refund_date AT TIME ZONE
          'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'refundReason', t.refund_reason, 'refundReference',
        t.refund_reference) END, 'null'), to_json(coalesce(t.tags, '{}')), coalesce(t.metadata, '{}'),
    coalesce(to_json(t.approval_status), 'null'), coalesce(to_json(t.approved_by), 'null'),
    coalesce(to_char(t.approved_date AT TIME ZONE 'UTC', '\"YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\"'), 'null'),
    to_char(t.date AT TIME ZONE 'UTC', '\"YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\"'), coalesce(to_char(t.due_date
        AT TIME ZONE 'UTC', '\"YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\"'), 'null'), coalesce(to_char(t.paid_at AT
        TIME ZONE 'UTC', '\"YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\"'), 'null'), to_char(t.created_at AT TIME ZONE
      'UTC', '\"YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\"'), to_char(t.updated_at AT TIME ZONE 'UTC',
      '\"YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\"'))

-- :summaryJson

format('{"id":%s,"propertyId":%s,"propertyName":%s,"type":"%s","category":"%s","subcategory":%s,"description":%s,"amount":%s,"status":"%s","paymentMethod":%s,"recurring":%s,"vendor":%s,"date":%s,"dueDate":%s,"paidAt":%s}',
    t.id, t.property_id, to_json(t.property_name), t.type, t.category, coalesce(to_json(t.subcategory),
      'null'), to_json(t.description), t.amount, t.status, coalesce('"' || t.payment_method || '"',
      'null'), to_json(t.recurring), coalesce(to_json(t.vendor), 'null'), to_char(t.date AT TIME ZONE
      'UTC', '\"YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\"'), coalesce(to_char(t.due_date AT TIME ZONE 'UTC',
        '\"YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\"'), 'null'), coalesce(to_char(t.paid_at AT TIME ZONE 'UTC',
        '\"YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\"'), 'null'))

-- GET /api/transactions?size=1

WITH found AS NOT MATERIALIZED
  (SELECT t.date AS key0, t.id AS id
    FROM transactions t
    WHERE t.owner_id = $1), k AS MATERIALIZED
  (SELECT *
    FROM found
    ORDER BY key0 DESC, id DESC
    LIMIT $2::bigint + 1 ) SELECT
  (coalesce((SELECT o.transactions
        FROM owner_totals o
        WHERE o.owner_id = $1), 0))::bigint AS total, CASE WHEN octet_length(c.content) <= 131072 THEN
  c.content END AS content, CASE WHEN octet_length(c.content) > 131072 THEN
  ARRAY(SELECT k.id
    FROM k
    LIMIT $2::bigint) END AS ids, CASE WHEN octet_length(c.content) > 131072 THEN c.octets END AS octets,
  ARRAY(SELECT ARRAY[k.key0::text, k.id::text]
    FROM k OFFSET $2::bigint - 1) AS ends
  FROM
  (SELECT coalesce(string_agg(r.json, ','), '') AS content, array_agg(octet_length(r.json)) AS octets
    FROM
    (SELECT
      (SELECT :summaryJson
        FROM transactions t
        WHERE t.id = k.id AND t.owner_id =
        (SELECT $1::bigint) AND (t.owner_id = $1 OR t.owner_id = ANY (ARRAY[$1]))) AS json
      FROM k
      LIMIT $2::bigint) r) c;

-- GET the next page

WITH found AS NOT MATERIALIZED
  (SELECT t.date AS key0, t.id AS id
    FROM transactions t
    WHERE t.owner_id = $1), k AS MATERIALIZED
  (SELECT *
    FROM found
    WHERE (key0, id) < ($3, $4)
    ORDER BY key0 DESC, id DESC
    LIMIT $2::bigint + 1 ) SELECT
  (coalesce((SELECT o.transactions
        FROM owner_totals o
        WHERE o.owner_id = $1), 0))::bigint AS total, CASE WHEN octet_length(c.content) <= 131072 THEN
  c.content END AS content, CASE WHEN octet_length(c.content) > 131072 THEN
  ARRAY(SELECT k.id
    FROM k
    LIMIT $2::bigint) END AS ids, CASE WHEN octet_length(c.content) > 131072 THEN c.octets END AS octets,
  ARRAY(SELECT ARRAY[k.key0::text, k.id::text]
    FROM k OFFSET $2::bigint - 1) AS ends
  FROM
  (SELECT coalesce(string_agg(r.json, ','), '') AS content, array_agg(octet_length(r.json)) AS octets
    FROM
    (SELECT
      (SELECT :summaryJson
        FROM transactions t
        WHERE t.id = k.id AND t.owner_id =
        (SELECT $1::bigint) AND (t.owner_id = $1 OR t.owner_id = ANY (ARRAY[$1]))) AS json
      FROM k
      LIMIT $2::bigint) r) c;

-- GET /api/transactions/property/:property?page=1

WITH found AS NOT MATERIALIZED
  (SELECT t.date AS key0, t.id AS id
    FROM transactions t
    WHERE t.owner_id = $1 AND t.property_id = $2), k AS MATERIALIZED
  (SELECT *
    FROM found
    ORDER BY key0 DESC, id DESC
    LIMIT $3::bigint + 1 OFFSET $4) SELECT
  (coalesce((SELECT k.transactions
        FROM property_totals k
        WHERE k.owner_id = $1 AND k.property_id = $2),
      (SELECT
        (SELECT count(*)
          FROM transactions t
          WHERE t.owner_id = $1 AND t.property_id = $2)
        FROM properties p
        WHERE p.owner_id = $1 AND p.id = $2)))::bigint AS total, CASE WHEN octet_length(c.content) <=
  131072 THEN c.content END AS content, CASE WHEN octet_length(c.content) > 131072 THEN
  ARRAY(SELECT k.id
    FROM k
    LIMIT $3::bigint) END AS ids, CASE WHEN octet_length(c.content) > 131072 THEN c.octets END AS octets,
  ARRAY(SELECT ARRAY[k.key0::text, k.id::text]
    FROM k OFFSET $3::bigint - 1) AS ends
  FROM
  (SELECT coalesce(string_agg(r.json, ','), '') AS content, array_agg(octet_length(r.json)) AS octets
    FROM
    (SELECT
      (SELECT :summaryJson
        FROM transactions t
        WHERE t.id = k.id AND t.owner_id =
        (SELECT $1::bigint) AND (t.owner_id = $1 OR t.owner_id = ANY (ARRAY[$1]))) AS json
      FROM k
      LIMIT $3::bigint) r) c;

-- POST /api/transactions/search

SELECT o.transactions
  FROM owner_totals o
  WHERE o.owner_id = $1;

WITH found AS MATERIALIZED
  (SELECT t.amount AS key0, t.id AS id
    FROM transactions t
    WHERE t.owner_id = $1 AND t.date BETWEEN $2::timestamptz AND $3::timestamptz AND t.facets &
    $4::integer = $5::integer AND t.amount BETWEEN $6::numeric AND $7::numeric AND (t.paid_at IS NULL AND
      ((t.facets & 28) = 12 OR (t.due_date < now() AND (t.facets & 28) NOT IN (16, 4, 24)))) IS TRUE AND
    strpos(lower(t.vendor), lower($8::text)) > 0 AND t.booking_reference = $9::text AND
    t.payment_reference = $10::text AND t.approval_status = $11::text AND CASE WHEN
    strpos(lower(t.description), lower($12::text)) > 0 OR strpos(lower(t.notes), lower($12::text)) > 0 OR
    strpos(lower(t.vendor), lower($12::text)) > 0 OR strpos(lower(t.subcategory), lower($12::text)) > 0 OR
    strpos(lower(t.payment_reference), lower($12::text)) > 0 OR strpos(lower(t.booking_reference),
      lower($12::text)) > 0 THEN 1 END = 1), k AS MATERIALIZED
  (SELECT *
    FROM found
    ORDER BY key0 ASC, id ASC
    LIMIT $13::bigint + 1 ) SELECT (CASE WHEN cardinality(c.octets) < $13::bigint THEN
    cardinality(c.octets) ELSE
    (SELECT count(*)
      FROM found) END)::bigint AS total, CASE WHEN octet_length(c.content) <= 131072 THEN c.content END AS
  content, CASE WHEN octet_length(c.content) > 131072 THEN
  ARRAY(SELECT k.id
    FROM k
    LIMIT $13::bigint) END AS ids, CASE WHEN octet_length(c.content) > 131072 THEN c.octets END AS octets,
  ARRAY(SELECT ARRAY[k.key0::text, k.id::text]
    FROM k OFFSET $13::bigint - 1) AS ends
  FROM
  (SELECT coalesce(string_agg(r.json, ','), '') AS content, array_agg(octet_length(r.json)) AS octets
    FROM
    (SELECT
      (SELECT :summaryJson
        FROM transactions t
        WHERE t.id = k.id AND t.owner_id =
        (SELECT $1::bigint) AND (t.owner_id = $1 OR t.owner_id = ANY (ARRAY[$1]))) AS json
      FROM k
      LIMIT $13::bigint) r) c;

-- POST /api/transactions

INSERT INTO "transactions" AS "Transaction"("owner_id", "id", "property_id", "property_name", "type",
    "category", "subcategory", "description", "amount", "date", "status", "payment_method",
    "payment_reference", "recurring", "frequency", "vendor", "receipt_url", "notes", "due_date",
    "paid_at", "booking_reference", "booking_id", "tags", "metadata", "approval_status", "approved_by",
    "approved_date", "created_at", "updated_at", "version", "tax_taxable", "tax_category", "tax_amount",
    "tax_deductible", "tax_deduction_category", "refund_amount", "refund_date", "refund_reason",
    "refund_reference")
  VALUES ($1::bigint, DEFAULT, $2::bigint, DEFAULT, $3::text, $4::text, $5::text, $6::text, $7::numeric,
    $8::timestamptz, $9::text, $10::text, $11::text, $12::boolean, $13::text, $14::text, $15::text,
    $16::text, $17::timestamptz, $18::timestamptz, $19::text, $20::bigint, $21::text[], $22::jsonb,
    DEFAULT, DEFAULT, DEFAULT, DEFAULT, DEFAULT, 1, DEFAULT, DEFAULT, DEFAULT, DEFAULT, DEFAULT, DEFAULT,
    DEFAULT, DEFAULT, DEFAULT)
  RETURNING "id" AS "id", "property_name" AS "propertyName", "tax_taxable" AS "taxDetails.taxable",
  "tax_category" AS "taxDetails.taxCategory", "tax_amount" AS "taxDetails.taxAmount", "tax_deductible" AS
  "taxDetails.deductible", "tax_deduction_category" AS "taxDetails.deductionCategory", "refund_amount" AS
  "refund.refundAmount", "refund_date" AS "refund.refundDate", "refund_reason" AS "refund.refundReason",
  "refund_reference" AS "refund.refundReference", "metadata"::text AS "metadata", "approval_status" AS
  "approvalStatus", "approved_by" AS "approvedBy", "approved_date" AS "approvedDate", "created_at" AS
  "createdAt", "updated_at" AS "updatedAt", "version";

-- GET /api/transactions/:id

SELECT t.version, :transactionJson AS json
  FROM transactions t
  WHERE t.owner_id = $1 AND t.id = $2;

-- PUT /api/transactions/:id

SELECT t.owner_id AS "ownerId", t.version
  FROM transactions t
  WHERE t.owner_id = $1 AND t.id = $2;

UPDATE "transactions"
  SET "property_id" = $1::bigint, "type" = $2::text, "category" = $3::text, "subcategory" = $4::text,
  "description" = $5::text, "amount" = $6::numeric, "date" = $7::timestamptz, "status" = $8::text,
  "payment_method" = $9::text, "payment_reference" = $10::text, "recurring" = $11::boolean, "frequency" =
  $12::text, "vendor" = $13::text, "receipt_url" = $14::text, "notes" = $15::text, "due_date" =
  $16::timestamptz, "paid_at" = $17::timestamptz, "booking_reference" = $18::text, "booking_id" =
  $19::bigint, "tags" = $20::text[], "metadata" = $21::jsonb, "property_name" =
  coalesce((SELECT p.name
      FROM properties p
      WHERE p.owner_id = $22 AND p.id = $1), ''), "version" = "version" + 1, "updated_at" =
  CURRENT_TIMESTAMP
  WHERE "owner_id" = $22 AND "id" = $23 AND "version" = ANY ($24::integer[])
  RETURNING "id" AS "id", "property_name" AS "propertyName", "tax_taxable" AS "taxDetails.taxable",
  "tax_category" AS "taxDetails.taxCategory", "tax_amount" AS "taxDetails.taxAmount", "tax_deductible" AS
  "taxDetails.deductible", "tax_deduction_category" AS "taxDetails.deductionCategory", "refund_amount" AS
  "refund.refundAmount", "refund_date" AS "refund.refundDate", "refund_reason" AS "refund.refundReason",
  "refund_reference" AS "refund.refundReference", "metadata"::text AS "metadata", "approval_status" AS
  "approvalStatus", "approved_by" AS "approvedBy", "approved_date" AS "approvedDate", "created_at" AS
  "createdAt", "updated_at" AS "updatedAt", "version";

-- DELETE /api/transactions/:id

DELETE
  FROM "transactions"
  WHERE "owner_id" = $1 AND "id" = $2 AND ($3::integer[] IS NULL OR "version" = ANY ($3))
  RETURNING "id";

-- POST /api/transactions/batch

SELECT nextval('transactions_id_seq') AS id
  FROM generate_series(1, $1::integer);

SELECT p.id
  FROM properties p
  WHERE p.owner_id = $1 AND p.id = ANY ($2::bigint[])
  ORDER BY p.id FOR KEY SHARE;

WITH written AS (INSERT INTO transactions AS t (owner_id, id, property_id, type, category, subcategory,
      description, amount, date, status, payment_method, payment_reference, recurring, frequency, vendor,
      receipt_url, notes, due_date, paid_at, booking_reference, booking_id, tags, metadata) SELECT
    $1::bigint, id, "propertyId", "type", "category", "subcategory", "description", "amount", "date",
    "status", "paymentMethod", "paymentReference", "recurring", "frequency", "vendor", "receiptUrl",
    "notes", "dueDate", "paidAt", "bookingReference", "bookingId", "tags", "metadata"
    FROM json_to_recordset($2::json) AS r(id bigint, "propertyId" bigint, "type" text, "category" text,
      "subcategory" text, "description" text, "amount" numeric, "date" timestamptz, "status" text,
      "paymentMethod" text, "paymentReference" text, "recurring" boolean, "frequency" text, "vendor" text,
      "receiptUrl" text, "notes" text, "dueDate" timestamptz, "paidAt" timestamptz, "bookingReference"
      text, "bookingId" bigint, "tags" text[], "metadata" jsonb)
    RETURNING t.*) SELECT t.id, :transactionJson AS json
  FROM written t;

-- GET /api/transactions/changes

WITH k AS MATERIALIZED ( SELECT c.at, c.id, c.written
    FROM
    (SELECT t.updated_at AS at, t.id, true AS written
      FROM transactions t
      WHERE t.owner_id = $1 AND (t.updated_at, t.id) > ($2::timestamptz, $3::bigint) AND t.updated_at <
      $4::timestamptz
      UNION ALL
      (SELECT d.at, d.id, false
        FROM deletions d
        WHERE d.owner_id = $1 AND d.kind = 'transactions' AND (d.at, d.id) > ($2::timestamptz, $3::bigint)
        AND d.at < $4::timestamptz AND d.at >= $5::timestamptz AND
        (SELECT t.id
          FROM transactions t
          WHERE t.id = d.id AND t.owner_id =
          (SELECT $1::bigint) AND (t.owner_id = $1 OR t.owner_id = ANY (ARRAY[$1]))) IS NULL
        ORDER BY d.at, d.id
        LIMIT $6)) c
    ORDER BY c.at, c.id
    LIMIT $6), s AS
  (SELECT k.*, row_number() OVER o AS number,
    sum(coalesce((SELECT 1024 + :octets
          FROM transactions t
          WHERE t.id = k.id AND t.owner_id =
          (SELECT $1::bigint) AND (t.owner_id = $1 OR t.owner_id = ANY (ARRAY[$1]))), 64)) OVER o AS size
    FROM k WINDOW o AS (ORDER BY k.at, k.id)), j AS
  (SELECT s.at, s.id, s.number, CASE WHEN s.written THEN
    (SELECT '{"change":"written","at":"' || to_char(t.updated_at AT TIME ZONE 'UTC',
        'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '","version":' || t.version || ',"transaction":' ||
      :transactionJson || '}'
      FROM transactions t
      WHERE t.id = s.id AND t.owner_id =
      (SELECT $1::bigint) AND (t.owner_id = $1 OR t.owner_id = ANY (ARRAY[$1]))) ELSE
    '{"change":"deleted","at":"' || to_char(s.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') ||
    '","id":' || s.id || '}' END AS json
    FROM s
    WHERE (s.size <= 1048576 OR s.number = 1)), m AS
  (SELECT j.*, sum(octet_length(j.json) + 1) OVER (ORDER BY j.number) AS size
    FROM j) SELECT coalesce(string_agg(m.json, ','
      ORDER BY m.number), '') AS content, CASE WHEN count(*) <
  (SELECT count(*)
    FROM k) OR count(*) = $6 THEN json_build_object('at', to_char(max(m.at) AT TIME ZONE 'UTC',
      'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'id', (array_agg(m.id
        ORDER BY m.number DESC))[1]::text) END AS last
  FROM m
  WHERE (m.size <= 1048576 OR m.number = 1);

-- GET /api/transactions?size=1 of an ADMIN

WITH found AS NOT MATERIALIZED
  (SELECT t.date AS key0, t.id AS id
    FROM transactions t
    WHERE t.id <> 0), k AS MATERIALIZED
  (SELECT *
    FROM found
    ORDER BY key0 DESC, id DESC
    LIMIT $1::bigint + 1 ) SELECT
  ((SELECT coalesce(sum(o.transactions), 0)
      FROM owner_totals o))::bigint AS total, CASE WHEN octet_length(c.content) <= 131072 THEN c.content
  END AS content, CASE WHEN octet_length(c.content) > 131072 THEN
  ARRAY(SELECT k.id
    FROM k
    LIMIT $1::bigint) END AS ids, CASE WHEN octet_length(c.content) > 131072 THEN c.octets END AS octets,
  ARRAY(SELECT ARRAY[k.key0::text, k.id::text]
    FROM k OFFSET $1::bigint - 1) AS ends
  FROM
  (SELECT coalesce(string_agg(r.json, ','), '') AS content, array_agg(octet_length(r.json)) AS octets
    FROM
    (SELECT :summaryJson AS json, t.date AS key0, t.id AS id
      FROM transactions t
      WHERE t.id = ANY
      (ARRAY(SELECT k.id
          FROM k
          LIMIT $1::bigint))
      ORDER BY key0 DESC, id DESC
      LIMIT $1::bigint) r) c;

-- GET the next page of an ADMIN

WITH found AS NOT MATERIALIZED
  (SELECT t.date AS key0, t.id AS id
    FROM transactions t
    WHERE t.id <> 0), k AS MATERIALIZED
  (SELECT *
    FROM found
    WHERE (key0, id) < ($2, $3)
    ORDER BY key0 DESC, id DESC
    LIMIT $1::bigint + 1 ) SELECT
  ((SELECT coalesce(sum(o.transactions), 0)
      FROM owner_totals o))::bigint AS total, CASE WHEN octet_length(c.content) <= 131072 THEN c.content
  END AS content, CASE WHEN octet_length(c.content) > 131072 THEN
  ARRAY(SELECT k.id
    FROM k
    LIMIT $1::bigint) END AS ids, CASE WHEN octet_length(c.content) > 131072 THEN c.octets END AS octets,
  ARRAY(SELECT ARRAY[k.key0::text, k.id::text]
    FROM k OFFSET $1::bigint - 1) AS ends
  FROM
  (SELECT coalesce(string_agg(r.json, ','), '') AS content, array_agg(octet_length(r.json)) AS octets
    FROM
    (SELECT :summaryJson AS json, t.date AS key0, t.id AS id
      FROM transactions t
      WHERE t.id = ANY
      (ARRAY(SELECT k.id
          FROM k
          LIMIT $1::bigint))
      ORDER BY key0 DESC, id DESC
      LIMIT $1::bigint) r) c;

-- POST /api/transactions/search of an ADMIN

WITH found AS MATERIALIZED
  (SELECT t.amount AS key0, t.id AS id
    FROM transactions t
    WHERE t.id <> 0 AND t.date BETWEEN $1::timestamptz AND $2::timestamptz AND t.facets & $3::integer =
    $4::integer AND t.amount BETWEEN $5::numeric AND $6::numeric AND (t.paid_at IS NULL AND ((t.facets &
          28) = 12 OR (t.due_date < now() AND (t.facets & 28) NOT IN (16, 4, 24)))) IS TRUE AND
    strpos(lower(t.vendor), lower($7::text)) > 0 AND t.booking_reference = $8::text AND
    t.payment_reference = $9::text AND t.approval_status = $10::text AND CASE WHEN
    strpos(lower(t.description), lower($11::text)) > 0 OR strpos(lower(t.notes), lower($11::text)) > 0 OR
    strpos(lower(t.vendor), lower($11::text)) > 0 OR strpos(lower(t.subcategory), lower($11::text)) > 0 OR
    strpos(lower(t.payment_reference), lower($11::text)) > 0 OR strpos(lower(t.booking_reference),
      lower($11::text)) > 0 THEN 1 END = 1), k AS MATERIALIZED
  (SELECT *
    FROM found
    ORDER BY key0 ASC, id ASC
    LIMIT $12::bigint + 1 ) SELECT
  ((SELECT count(*)
      FROM found))::bigint AS total, CASE WHEN octet_length(c.content) <= 131072 THEN c.content END AS
  content, CASE WHEN octet_length(c.content) > 131072 THEN
  ARRAY(SELECT k.id
    FROM k
    LIMIT $12::bigint) END AS ids, CASE WHEN octet_length(c.content) > 131072 THEN c.octets END AS octets,
  ARRAY(SELECT ARRAY[k.key0::text, k.id::text]
    FROM k OFFSET $12::bigint - 1) AS ends
  FROM
  (SELECT coalesce(string_agg(r.json, ','), '') AS content, array_agg(octet_length(r.json)) AS octets
    FROM
    (SELECT :summaryJson AS json, t.amount AS key0, t.id AS id
      FROM transactions t
      WHERE t.id = ANY
      (ARRAY(SELECT k.id
          FROM k
          LIMIT $12::bigint))
      ORDER BY key0 ASC, id ASC
      LIMIT $12::bigint) r) c;

-- GET /api/transactions/:id of an ADMIN

SELECT t.version, :transactionJson AS json
  FROM transactions t
  WHERE t.id = $1;

-- PUT /api/transactions/:id of an ADMIN

SELECT t.owner_id AS "ownerId", t.version
  FROM transactions t
  WHERE t.id = $1;

-- POST /api/transactions/batch of an ADMIN

SELECT o.id, o.owner_id
  FROM properties o
  WHERE o.id = ANY ($1::bigint[])
  ORDER BY o.owner_id;

-- Several at once: transactions.get_each

SELECT r.*
  FROM
  (SELECT *
    FROM unnest($1::bigint[], $2::bigint[]) WITH ORDINALITY u (owner_id, id, place)
    LIMIT cardinality($1)) k LEFT JOIN LATERAL
  (SELECT t.version, :transactionJson AS json
    FROM transactions t
    WHERE t.owner_id = k.owner_id AND t.id = k.id
    LIMIT 1) r ON true
  ORDER BY k.place;

-- Several at once: transactions.insert_each

WITH r AS MATERIALIZED ( SELECT e.place, nextval('transactions_id_seq') AS drawn, p.name, r.*
    FROM json_array_elements($1::json) WITH ORDINALITY AS e(row, place) CROSS
    JOIN LATERAL json_to_record(e.row) AS r("ownerId" bigint, "propertyId" bigint, "type" text, "category"
      text, "subcategory" text, "description" text, "amount" numeric, "date" timestamptz, "status" text,
      "paymentMethod" text, "paymentReference" text, "recurring" boolean, "frequency" text, "vendor" text,
      "receiptUrl" text, "notes" text, "dueDate" timestamptz, "paidAt" timestamptz, "bookingReference"
      text, "bookingId" bigint, "tags" text[], "metadata" jsonb) CROSS
    JOIN LATERAL
    (SELECT o.owner_id
      FROM owner_totals o
      WHERE o.owner_id = r."ownerId"
      LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED) o CROSS
    JOIN LATERAL
    (SELECT p.name
      FROM properties p
      WHERE p.owner_id = r."ownerId" AND p.id = r."propertyId"
      LIMIT 1 FOR KEY SHARE SKIP LOCKED) p), written AS ( INSERT INTO transactions AS t (owner_id, id,
      property_name, property_id, type, category, subcategory, description, amount, date, status,
      payment_method, payment_reference, recurring, frequency, vendor, receipt_url, notes, due_date,
      paid_at, booking_reference, booking_id, tags, metadata) SELECT r."ownerId", r.drawn, r.name,
    r."propertyId", r."type", r."category", r."subcategory", r."description", r."amount", r."date",
    r."status", r."paymentMethod", r."paymentReference", r."recurring", r."frequency", r."vendor",
    r."receiptUrl", r."notes", r."dueDate", r."paidAt", r."bookingReference", r."bookingId", r."tags",
    r."metadata"
    FROM r
    RETURNING t.*) SELECT k.place::integer - 1 AS place, "id" AS "id", "property_name" AS "propertyName",
  "tax_taxable" AS "taxDetails.taxable", "tax_category" AS "taxDetails.taxCategory", "tax_amount" AS
  "taxDetails.taxAmount", "tax_deductible" AS "taxDetails.deductible", "tax_deduction_category" AS
  "taxDetails.deductionCategory", "refund_amount" AS "refund.refundAmount", "refund_date" AS
  "refund.refundDate", "refund_reason" AS "refund.refundReason", "refund_reference" AS
  "refund.refundReference", "metadata"::text AS "metadata", "approval_status" AS "approvalStatus",
  "approved_by" AS "approvedBy", "approved_date" AS "approvedDate", "created_at" AS "createdAt",
  "updated_at" AS "updatedAt", "version"
  FROM written
  JOIN
  (SELECT r.place, r.drawn
    FROM r) k ON k.drawn = written.id;

-- Several at once: transactions.update_each

WITH r AS MATERIALIZED ( SELECT e.place, old.ctid AS tid, p.name, r.*
    FROM json_array_elements($1::json) WITH ORDINALITY AS e(row, place) CROSS
    JOIN LATERAL json_to_record(e.row) AS r("ownerId" bigint, id bigint, versions integer[], "propertyId"
      bigint, "type" text, "category" text, "subcategory" text, "description" text, "amount" numeric,
      "date" timestamptz, "status" text, "paymentMethod" text, "paymentReference" text, "recurring"
      boolean, "frequency" text, "vendor" text, "receiptUrl" text, "notes" text, "dueDate" timestamptz,
      "paidAt" timestamptz, "bookingReference" text, "bookingId" bigint, "tags" text[], "metadata" jsonb)
    CROSS
    JOIN LATERAL
    (SELECT t.ctid, t.property_id
      FROM transactions t
      WHERE t.owner_id = r."ownerId" AND t.id = r.id AND t.version = ANY (r.versions)
      LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED) old LEFT JOIN LATERAL
    (SELECT o.owner_id
      FROM owner_totals o
      WHERE o.owner_id = r."ownerId" AND old.property_id <> r."propertyId"
      LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED) o ON true CROSS
    JOIN LATERAL
    (SELECT p.name
      FROM properties p
      WHERE p.owner_id = r."ownerId" AND p.id = r."propertyId"
      LIMIT 1 FOR KEY SHARE SKIP LOCKED) p
    WHERE old.property_id = r."propertyId" OR o.owner_id IS NOT NULL), written AS ( UPDATE transactions t
    SET property_id = r."propertyId", type = r."type", category = r."category", subcategory =
    r."subcategory", description = r."description", amount = r."amount", date = r."date", status =
    r."status", payment_method = r."paymentMethod", payment_reference = r."paymentReference", recurring =
    r."recurring", frequency = r."frequency", vendor = r."vendor", receipt_url = r."receiptUrl", notes =
    r."notes", due_date = r."dueDate", paid_at = r."paidAt", booking_reference = r."bookingReference",
    booking_id = r."bookingId", tags = r."tags", metadata = r."metadata", version = t.version + 1,
    updated_at = CURRENT_TIMESTAMP, property_name = r.name
    FROM r
    WHERE t.ctid = ANY
    (ARRAY(SELECT r.tid
        FROM r)) AND t.ctid = r.tid AND t.owner_id = r."ownerId" AND t.version = ANY (r.versions)
    RETURNING r.place, t.*) SELECT place::integer - 1 AS place, "id" AS "id", "property_name" AS
  "propertyName", "tax_taxable" AS "taxDetails.taxable", "tax_category" AS "taxDetails.taxCategory",
  "tax_amount" AS "taxDetails.taxAmount", "tax_deductible" AS "taxDetails.deductible",
  "tax_deduction_category" AS "taxDetails.deductionCategory", "refund_amount" AS "refund.refundAmount",
  "refund_date" AS "refund.refundDate", "refund_reason" AS "refund.refundReason", "refund_reference" AS
  "refund.refundReference", "metadata"::text AS "metadata", "approval_status" AS "approvalStatus",
  "approved_by" AS "approvedBy", "approved_date" AS "approvedDate", "created_at" AS "createdAt",
  "updated_at" AS "updatedAt", "version"
  FROM written;
