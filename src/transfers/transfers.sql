-- Written by npm run sql.

-- :octets

coalesce(octet_length(t.property_name), 0) + coalesce(octet_length(t.booking_reference), 0) +
  coalesce(octet_length(t.type), 0) + coalesce(octet_length(t.category), 0) +
  coalesce(octet_length(t.subcategory), 0) + coalesce(octet_length(t.description), 0) +
  coalesce(octet_length(t.status), 0) + coalesce(octet_length(t.payment_method), 0) +
  coalesce(octet_length(t.payment_reference), 0) + coalesce(octet_length(t.frequency), 0) +
  coalesce(octet_length(t.vendor), 0) + coalesce(octet_length(t.receipt_url), 0) +
  coalesce(octet_length(t.notes), 0) + coalesce(octet_length(t.tax_category), 0) +
  coalesce(octet_length(t.tax_deduction_category), 0) + coalesce(octet_length(t.refund_reason), 0) +
  coalesce(octet_length(t.refund_reference), 0) + coalesce(octet_length(t.tags::text), 0) +
  coalesce(octet_length(t.metadata::text), 0) + coalesce(octet_length(t.approval_status), 0) +
  coalesce(octet_length(t.approved_by), 0)

-- POST /api/transactions/export

WITH found AS NOT MATERIALIZED
  (SELECT t.date AS key0, t.id AS id, :octets AS octets
    FROM transactions t
    WHERE t.owner_id = $1) SELECT id, octets
  FROM found
  ORDER BY key0 DESC, id DESC;

FETCH 1000
  FROM keys;

SELECT t.id, coalesce((t.id)::text, '') || ',' || coalesce((t.property_id)::text, '') || ',' ||
  coalesce('"' || replace(CASE WHEN ascii(ltrim(t.property_name, '''')) IN (9, 13, 10, 61, 43, 64, 65309,
        65291, 65293, 65312, 45) THEN '''' ELSE '' END || regexp_replace(t.property_name, '([,;
          ])(''*[=+@＝＋－＠-])', '\1''\2', 'g'), '"', '""') || '"', '') || ',' || coalesce('"' ||
    replace(CASE WHEN ascii(ltrim(t.booking_reference, '''')) IN (9, 13, 10, 61, 43, 64, 65309, 65291,
        65293, 65312, 45) THEN '''' ELSE '' END || regexp_replace(t.booking_reference, '([,;
          ])(''*[=+@＝＋－＠-])', '\1''\2', 'g'), '"', '""') || '"', '') || ',' ||
  coalesce((t.booking_id)::text, '') || ',' || coalesce('"' || replace(t.type, '"', '""') || '"', '') ||
  ',' || coalesce('"' || replace(t.category, '"', '""') || '"', '') || ',' || coalesce('"' || replace(CASE
      WHEN ascii(ltrim(t.subcategory, '''')) IN (9, 13, 10, 61, 43, 64, 65309, 65291, 65293, 65312, 45)
      THEN '''' ELSE '' END || regexp_replace(t.subcategory, '([,; ])(''*[=+@＝＋－＠-])', '\1''\2', 'g'),
      '"', '""') || '"', '') || ',' || coalesce('"' || replace(CASE WHEN ascii(ltrim(t.description, ''''))
      IN (9, 13, 10, 61, 43, 64, 65309, 65291, 65293, 65312, 45) THEN '''' ELSE '' END ||
      regexp_replace(t.description, '([,; ])(''*[=+@＝＋－＠-])', '\1''\2', 'g'), '"', '""') || '"', '') ||
  ',' || coalesce((t.amount)::text, '') || ',' || coalesce('"' || replace(t.status, '"', '""') || '"', '')
  || ',' || coalesce('"' || replace(t.payment_method, '"', '""') || '"', '') || ',' || coalesce('"' ||
    replace(CASE WHEN ascii(ltrim(t.payment_reference, '''')) IN (9, 13, 10, 61, 43, 64, 65309, 65291,
        65293, 65312, 45) THEN '''' ELSE '' END || regexp_replace(t.payment_reference, '([,;
          ])(''*[=+@＝＋－＠-])', '\1''\2', 'g'), '"', '""') || '"', '') || ',' ||
  coalesce((t.recurring)::text, '') || ',' || coalesce('"' || replace(t.frequency, '"', '""') || '"', '')
  || ',' || coalesce('"' || replace(CASE WHEN ascii(ltrim(t.vendor, '''')) IN (9, 13, 10, 61, 43, 64,
        65309, 65291, 65293, 65312, 45) THEN '''' ELSE '' END || regexp_replace(t.vendor, '([,;
          ])(''*[=+@＝＋－＠-])', '\1''\2', 'g'), '"', '""') || '"', '') || ',' || coalesce('"' ||
    replace(CASE WHEN ascii(ltrim(t.receipt_url, '''')) IN (9, 13, 10, 61, 43, 64, 65309, 65291, 65293,
        65312, 45) THEN '''' ELSE '' END || regexp_replace(t.receipt_url, '([,; ])(''*[=+@＝＋－＠-])',
        '\1''\2', 'g'), '"', '""') || '"', '') || ',' || coalesce('"' || replace(CASE WHEN
      ascii(ltrim(t.notes, '''')) IN (9, 13, 10, 61, 43, 64, 65309, 65291, 65293, 65312, 45) THEN ''''
      ELSE '' END || regexp_replace(t.notes, '([,; ])(''*[=+@＝＋－＠-])', '\1''\2', 'g'), '"', '""') || '"',
    '') || ',' || coalesce('"' || replace(regexp_replace(regexp_replace(to_json(CASE WHEN
            num_nonnulls(t.tax_taxable, t.tax_category, t.tax_amount, t.tax_deductible,
              t.tax_deduction_category) > 0 THEN json_build_object('taxable', t.tax_taxable,
              'taxCategory', t.tax_category, 'taxAmount', t.tax_amount, 'deductible', t.tax_deductible,
              'deductionCategory', t.tax_deduction_category) END)::text, ',(''*[=+@＝＋－＠-])', '\\u002c\1',
          'g'), ';(''*[=+@＝＋－＠-])', '\\u003b\1', 'g'), '"', '""') || '"', '') || ',' || coalesce('"' ||
    replace(regexp_replace(regexp_replace(to_json(CASE WHEN num_nonnulls(t.refund_amount, t.refund_date,
              t.refund_reason, t.refund_reference) > 0 THEN json_build_object('refundAmount',
              t.refund_amount, 'refundDate', to_char(t.refund_date AT TIME ZONE 'UTC',
                'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'refundReason', t.refund_reason, 'refundReference',
              t.refund_reference) END)::text, ',(''*[=+@＝＋－＠-])', '\\u002c\1', 'g'), ';(''*[=+@＝＋－＠-])',
        '\\u003b\1', 'g'), '"', '""') || '"', '') || ',' || coalesce('"' ||
    replace(regexp_replace(regexp_replace(to_json(coalesce(t.tags, '{}'))::text, ',(''*[=+@＝＋－＠-])',
          '\\u002c\1', 'g'), ';(''*[=+@＝＋－＠-])', '\\u003b\1', 'g'), '"', '""') || '"', '') || ',' ||
  coalesce('"' || replace(regexp_replace(regexp_replace(to_json(coalesce(t.metadata, '{}'))::text,
          ',(''*[=+@＝＋－＠-])', '\\u002c\1', 'g'), ';(''*[=+@＝＋－＠-])', '\\u003b\1', 'g'), '"', '""') || '"',
    '') || ',' || coalesce('"' || replace(CASE WHEN ascii(ltrim(t.approval_status, '''')) IN (9, 13, 10,
        61, 43, 64, 65309, 65291, 65293, 65312, 45) THEN '''' ELSE '' END ||
      regexp_replace(t.approval_status, '([,; ])(''*[=+@＝＋－＠-])', '\1''\2', 'g'), '"', '""') || '"', '')
  || ',' || coalesce('"' || replace(CASE WHEN ascii(ltrim(t.approved_by, '''')) IN (9, 13, 10, 61, 43, 64,
        65309, 65291, 65293, 65312, 45) THEN '''' ELSE '' END || regexp_replace(t.approved_by, '([,;
          ])(''*[=+@＝＋－＠-])', '\1''\2', 'g'), '"', '""') || '"', '') || ',' ||
  coalesce((to_char(t.approved_date AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))::text, '') ||
  ',' || coalesce((to_char(t.date AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))::text, '') || ','
  || coalesce((to_char(t.due_date AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))::text, '') || ','
  || coalesce((to_char(t.paid_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))::text, '') || ','
  || coalesce((to_char(t.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))::text, '') ||
  ',' || coalesce((to_char(t.updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))::text, '')
  || ',' || coalesce((t.version)::text, '') AS text
  FROM unnest($2::bigint[]) k (id) CROSS
  JOIN LATERAL
  (SELECT t.*
    FROM transactions t
    WHERE t.id = k.id AND t.owner_id =
    (SELECT $1::bigint) AND (t.owner_id = $1 OR t.owner_id = ANY (ARRAY[$1])) OFFSET 0) t
  LIMIT 500;

-- GET /api/transactions/export?paymentReference=R1

WITH found AS NOT MATERIALIZED
  (SELECT t.date AS key0, t.id AS id, :octets AS octets
    FROM transactions t
    WHERE t.owner_id = $1 AND t.payment_reference = $2::text) SELECT id, octets
  FROM found
  ORDER BY key0 DESC, id DESC;

-- POST /api/transactions/import

SELECT o.owner_id
  FROM owner_totals o
  WHERE o.owner_id = $1 FOR NO KEY UPDATE;

SELECT k.key, (array_agg(k.id
      ORDER BY k.id))[1:$6::integer]::text[] AS ids
  FROM
  (SELECT t.id, t.property_id || ' ' || encode(sha256(convert_to(concat_ws(' ', t.amount, to_char(t.date
              AT TIME ZONE 'UTC', 'YYYY-MM-DD'), coalesce(to_json(nullif(t.payment_reference, ''))::text,
              concat_ws(' ', t.type, to_json(t.description), to_json(t.vendor)))), 'UTF8')), 'hex') AS key
    FROM transactions t
    WHERE t.owner_id = $1 AND t.date >= $2::timestamptz AND t.date < $3::timestamptz + interval '1 day'
    AND t.amount + 0 = ANY ($4::numeric[]) OFFSET 0) k
  WHERE k.key = ANY ($5::text[])
  GROUP BY k.key;

-- POST /api/transactions/import?by=reference

SELECT t.payment_reference AS key, (array_agg(t.id
      ORDER BY t.id))[1:$3::integer]::text[] AS ids
  FROM transactions t
  WHERE t.owner_id = $1 AND t.payment_reference = ANY ($2::text[])
  GROUP BY t.payment_reference;

INSERT INTO transactions AS t (owner_id, id, property_id, type, category, subcategory, description,
    amount, date, status, payment_method, payment_reference, recurring, frequency, vendor, receipt_url,
    notes, due_date, paid_at, booking_reference, booking_id, tags, metadata) SELECT $1::bigint, id,
  "propertyId", "type", "category", "subcategory", "description", "amount", "date", "status",
  "paymentMethod", "paymentReference", "recurring", "frequency", "vendor", "receiptUrl", "notes",
  "dueDate", "paidAt", "bookingReference", "bookingId", "tags", "metadata"
  FROM json_to_recordset($2::json) AS r(id bigint, "propertyId" bigint, "type" text, "category" text,
    "subcategory" text, "description" text, "amount" numeric, "date" timestamptz, "status" text,
    "paymentMethod" text, "paymentReference" text, "recurring" boolean, "frequency" text, "vendor" text,
    "receiptUrl" text, "notes" text, "dueDate" timestamptz, "paidAt" timestamptz, "bookingReference" text,
    "bookingId" bigint, "tags" text[], "metadata" jsonb);

-- POST /api/transactions/import?mode=update&property=name

SELECT p.name, min(p.id) AS id
  FROM properties p
  WHERE p.owner_id = $1 AND p.name = ANY ($2::text[])
  GROUP BY p.name HAVING count(*) = 1;

-- POST /api/transactions/export of an ADMIN

WITH found AS NOT MATERIALIZED
  (SELECT t.date AS key0, t.id AS id, :octets AS octets
    FROM transactions t
    WHERE t.id <> 0) SELECT id, octets
  FROM found
  ORDER BY key0 DESC, id DESC;

SELECT t.id, coalesce((t.id)::text, '') || ',' || coalesce((t.property_id)::text, '') || ',' ||
  coalesce('"' || replace(CASE WHEN ascii(ltrim(t.property_name, '''')) IN (9, 13, 10, 61, 43, 64, 65309,
        65291, 65293, 65312, 45) THEN '''' ELSE '' END || regexp_replace(t.property_name, '([,;
          ])(''*[=+@＝＋－＠-])', '\1''\2', 'g'), '"', '""') || '"', '') || ',' || coalesce('"' ||
    replace(CASE WHEN ascii(ltrim(t.booking_reference, '''')) IN (9, 13, 10, 61, 43, 64, 65309, 65291,
        65293, 65312, 45) THEN '''' ELSE '' END || regexp_replace(t.booking_reference, '([,;
          ])(''*[=+@＝＋－＠-])', '\1''\2', 'g'), '"', '""') || '"', '') || ',' ||
  coalesce((t.booking_id)::text, '') || ',' || coalesce('"' || replace(t.type, '"', '""') || '"', '') ||
  ',' || coalesce('"' || replace(t.category, '"', '""') || '"', '') || ',' || coalesce('"' || replace(CASE
      WHEN ascii(ltrim(t.subcategory, '''')) IN (9, 13, 10, 61, 43, 64, 65309, 65291, 65293, 65312, 45)
      THEN '''' ELSE '' END || regexp_replace(t.subcategory, '([,; ])(''*[=+@＝＋－＠-])', '\1''\2', 'g'),
      '"', '""') || '"', '') || ',' || coalesce('"' || replace(CASE WHEN ascii(ltrim(t.description, ''''))
      IN (9, 13, 10, 61, 43, 64, 65309, 65291, 65293, 65312, 45) THEN '''' ELSE '' END ||
      regexp_replace(t.description, '([,; ])(''*[=+@＝＋－＠-])', '\1''\2', 'g'), '"', '""') || '"', '') ||
  ',' || coalesce((t.amount)::text, '') || ',' || coalesce('"' || replace(t.status, '"', '""') || '"', '')
  || ',' || coalesce('"' || replace(t.payment_method, '"', '""') || '"', '') || ',' || coalesce('"' ||
    replace(CASE WHEN ascii(ltrim(t.payment_reference, '''')) IN (9, 13, 10, 61, 43, 64, 65309, 65291,
        65293, 65312, 45) THEN '''' ELSE '' END || regexp_replace(t.payment_reference, '([,;
          ])(''*[=+@＝＋－＠-])', '\1''\2', 'g'), '"', '""') || '"', '') || ',' ||
  coalesce((t.recurring)::text, '') || ',' || coalesce('"' || replace(t.frequency, '"', '""') || '"', '')
  || ',' || coalesce('"' || replace(CASE WHEN ascii(ltrim(t.vendor, '''')) IN (9, 13, 10, 61, 43, 64,
        65309, 65291, 65293, 65312, 45) THEN '''' ELSE '' END || regexp_replace(t.vendor, '([,;
          ])(''*[=+@＝＋－＠-])', '\1''\2', 'g'), '"', '""') || '"', '') || ',' || coalesce('"' ||
    replace(CASE WHEN ascii(ltrim(t.receipt_url, '''')) IN (9, 13, 10, 61, 43, 64, 65309, 65291, 65293,
        65312, 45) THEN '''' ELSE '' END || regexp_replace(t.receipt_url, '([,; ])(''*[=+@＝＋－＠-])',
        '\1''\2', 'g'), '"', '""') || '"', '') || ',' || coalesce('"' || replace(CASE WHEN
      ascii(ltrim(t.notes, '''')) IN (9, 13, 10, 61, 43, 64, 65309, 65291, 65293, 65312, 45) THEN ''''
      ELSE '' END || regexp_replace(t.notes, '([,; ])(''*[=+@＝＋－＠-])', '\1''\2', 'g'), '"', '""') || '"',
    '') || ',' || coalesce('"' || replace(regexp_replace(regexp_replace(to_json(CASE WHEN
            num_nonnulls(t.tax_taxable, t.tax_category, t.tax_amount, t.tax_deductible,
              t.tax_deduction_category) > 0 THEN json_build_object('taxable', t.tax_taxable,
              'taxCategory', t.tax_category, 'taxAmount', t.tax_amount, 'deductible', t.tax_deductible,
              'deductionCategory', t.tax_deduction_category) END)::text, ',(''*[=+@＝＋－＠-])', '\\u002c\1',
          'g'), ';(''*[=+@＝＋－＠-])', '\\u003b\1', 'g'), '"', '""') || '"', '') || ',' || coalesce('"' ||
    replace(regexp_replace(regexp_replace(to_json(CASE WHEN num_nonnulls(t.refund_amount, t.refund_date,
              t.refund_reason, t.refund_reference) > 0 THEN json_build_object('refundAmount',
              t.refund_amount, 'refundDate', to_char(t.refund_date AT TIME ZONE 'UTC',
                'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'refundReason', t.refund_reason, 'refundReference',
              t.refund_reference) END)::text, ',(''*[=+@＝＋－＠-])', '\\u002c\1', 'g'), ';(''*[=+@＝＋－＠-])',
        '\\u003b\1', 'g'), '"', '""') || '"', '') || ',' || coalesce('"' ||
    replace(regexp_replace(regexp_replace(to_json(coalesce(t.tags, '{}'))::text, ',(''*[=+@＝＋－＠-])',
          '\\u002c\1', 'g'), ';(''*[=+@＝＋－＠-])', '\\u003b\1', 'g'), '"', '""') || '"', '') || ',' ||
  coalesce('"' || replace(regexp_replace(regexp_replace(to_json(coalesce(t.metadata, '{}'))::text,
          ',(''*[=+@＝＋－＠-])', '\\u002c\1', 'g'), ';(''*[=+@＝＋－＠-])', '\\u003b\1', 'g'), '"', '""') || '"',
    '') || ',' || coalesce('"' || replace(CASE WHEN ascii(ltrim(t.approval_status, '''')) IN (9, 13, 10,
        61, 43, 64, 65309, 65291, 65293, 65312, 45) THEN '''' ELSE '' END ||
      regexp_replace(t.approval_status, '([,; ])(''*[=+@＝＋－＠-])', '\1''\2', 'g'), '"', '""') || '"', '')
  || ',' || coalesce('"' || replace(CASE WHEN ascii(ltrim(t.approved_by, '''')) IN (9, 13, 10, 61, 43, 64,
        65309, 65291, 65293, 65312, 45) THEN '''' ELSE '' END || regexp_replace(t.approved_by, '([,;
          ])(''*[=+@＝＋－＠-])', '\1''\2', 'g'), '"', '""') || '"', '') || ',' ||
  coalesce((to_char(t.approved_date AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))::text, '') ||
  ',' || coalesce((to_char(t.date AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))::text, '') || ','
  || coalesce((to_char(t.due_date AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))::text, '') || ','
  || coalesce((to_char(t.paid_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))::text, '') || ','
  || coalesce((to_char(t.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))::text, '') ||
  ',' || coalesce((to_char(t.updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))::text, '')
  || ',' || coalesce((t.version)::text, '') AS text
  FROM transactions t
  WHERE t.id = ANY ($1::bigint[])
  LIMIT 500;

-- GET /api/transactions/export?paymentReference=R1 of an ADMIN

WITH found AS NOT MATERIALIZED
  (SELECT t.date AS key0, t.id AS id, :octets AS octets
    FROM transactions t
    WHERE t.id <> 0 AND t.payment_reference = $1::text) SELECT id, octets
  FROM found
  ORDER BY key0 DESC, id DESC;

-- POST /api/transactions/import?mode=update&property=name of an ADMIN

SELECT o.id, o.owner_id
  FROM transactions o
  WHERE o.id = ANY ($1::bigint[])
  ORDER BY o.owner_id;

WITH found AS MATERIALIZED ( SELECT t.id, t.version, v.version AS expected, t.json AS before, CASE WHEN
    r.row ? 'propertyId' THEN v."propertyId" ELSE t.property_id END AS property_id, CASE WHEN r.row ?
    'type' THEN CASE WHEN coalesce(v."type", '') = regexp_replace(coalesce(t.type, ''), E'\r\n?', E'\n',
      'g') THEN t.type ELSE v."type" END ELSE t.type END AS type, CASE WHEN r.row ? 'category' THEN CASE
    WHEN coalesce(v."category", '') = regexp_replace(coalesce(t.category, ''), E'\r\n?', E'\n', 'g') THEN
    t.category ELSE v."category" END ELSE t.category END AS category, CASE WHEN r.row ? 'subcategory' THEN
    CASE WHEN coalesce(v."subcategory", '') = regexp_replace(coalesce(t.subcategory, ''), E'\r\n?', E'\n',
      'g') THEN t.subcategory ELSE v."subcategory" END ELSE t.subcategory END AS subcategory, CASE WHEN
    r.row ? 'description' THEN CASE WHEN coalesce(v."description", '') =
    regexp_replace(coalesce(t.description, ''), E'\r\n?', E'\n', 'g') THEN t.description ELSE
    v."description" END ELSE t.description END AS description, CASE WHEN r.row ? 'amount' THEN v."amount"
    ELSE t.amount END AS amount, CASE WHEN r.row ? 'date' THEN v."date" ELSE t.date END AS date, CASE WHEN
    r.row ? 'status' THEN CASE WHEN coalesce(v."status", '') = regexp_replace(coalesce(t.status, ''),
      E'\r\n?', E'\n', 'g') THEN t.status ELSE v."status" END ELSE t.status END AS status, CASE WHEN r.row
    ? 'paymentMethod' THEN CASE WHEN coalesce(v."paymentMethod", '') =
    regexp_replace(coalesce(t.payment_method, ''), E'\r\n?', E'\n', 'g') THEN t.payment_method ELSE
    v."paymentMethod" END ELSE t.payment_method END AS payment_method, CASE WHEN r.row ?
    'paymentReference' THEN CASE WHEN coalesce(v."paymentReference", '') =
    regexp_replace(coalesce(t.payment_reference, ''), E'\r\n?', E'\n', 'g') THEN t.payment_reference ELSE
    v."paymentReference" END ELSE t.payment_reference END AS payment_reference, CASE WHEN r.row ?
    'recurring' THEN v."recurring" ELSE t.recurring END AS recurring, coalesce(CASE WHEN r.row ?
      'frequency' THEN CASE WHEN coalesce(v."frequency", '') = regexp_replace(coalesce(t.frequency, ''),
        E'\r\n?', E'\n', 'g') THEN t.frequency ELSE v."frequency" END ELSE t.frequency END, CASE WHEN NOT
      CASE WHEN r.row ? 'recurring' THEN v."recurring" ELSE t.recurring END THEN 'ONE_TIME' END) AS
    frequency, CASE WHEN r.row ? 'vendor' THEN CASE WHEN coalesce(v."vendor", '') =
    regexp_replace(coalesce(t.vendor, ''), E'\r\n?', E'\n', 'g') THEN t.vendor ELSE v."vendor" END ELSE
    t.vendor END AS vendor, CASE WHEN r.row ? 'receiptUrl' THEN CASE WHEN coalesce(v."receiptUrl", '') =
    regexp_replace(coalesce(t.receipt_url, ''), E'\r\n?', E'\n', 'g') THEN t.receipt_url ELSE
    v."receiptUrl" END ELSE t.receipt_url END AS receipt_url, CASE WHEN r.row ? 'notes' THEN CASE WHEN
    coalesce(v."notes", '') = regexp_replace(coalesce(t.notes, ''), E'\r\n?', E'\n', 'g') THEN t.notes
    ELSE v."notes" END ELSE t.notes END AS notes, CASE WHEN r.row ? 'dueDate' THEN v."dueDate" ELSE
    t.due_date END AS due_date, CASE WHEN r.row ? 'paidAt' THEN v."paidAt" ELSE t.paid_at END AS paid_at,
    CASE WHEN r.row ? 'bookingReference' THEN CASE WHEN coalesce(v."bookingReference", '') =
    regexp_replace(coalesce(t.booking_reference, ''), E'\r\n?', E'\n', 'g') THEN t.booking_reference ELSE
    v."bookingReference" END ELSE t.booking_reference END AS booking_reference, CASE WHEN r.row ?
    'bookingId' THEN v."bookingId" ELSE t.booking_id END AS booking_id, CASE WHEN r.row ? 'tags' THEN
    nullif(v."tags", '{}') ELSE t.tags END AS tags, CASE WHEN r.row ? 'metadata' THEN nullif(v."metadata",
      '{}') ELSE t.metadata END AS metadata
    FROM jsonb_array_elements($2::jsonb) AS r(row) CROSS
    JOIN LATERAL jsonb_to_record(r.row) AS v(id bigint, version integer, "propertyId" bigint, "type" text,
      "category" text, "subcategory" text, "description" text, "amount" numeric, "date" timestamptz,
      "status" text, "paymentMethod" text, "paymentReference" text, "recurring" boolean, "frequency" text,
      "vendor" text, "receiptUrl" text, "notes" text, "dueDate" timestamptz, "paidAt" timestamptz,
      "bookingReference" text, "bookingId" bigint, "tags" text[], "metadata" jsonb) CROSS
    JOIN LATERAL ( SELECT t.*,
      format('{"propertyId":%s,"type":"%s","category":"%s","subcategory":%s,"description":%s,"amount":%s,"date":%s,"status":"%s","paymentMethod":%s,"paymentReference":%s,"recurring":%s,"frequency":%s,"vendor":%s,"receiptUrl":%s,"notes":%s,"dueDate":%s,"paidAt":%s,"bookingReference":%s,"bookingId":%s,"tags":%s,"metadata":%s}',
        t.property_id, t.type, t.category, coalesce(to_json(t.subcategory), 'null'),
        to_json(t.description), t.amount, to_char(t.date AT TIME ZONE 'UTC',
          '\"YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\"'), t.status, coalesce('"' || t.payment_method || '"',
          'null'), coalesce(to_json(t.payment_reference), 'null'), to_json(t.recurring), coalesce('"' ||
          t.frequency || '"', 'null'), coalesce(to_json(t.vendor), 'null'),
        coalesce(to_json(t.receipt_url), 'null'), coalesce(to_json(t.notes), 'null'),
        coalesce(to_char(t.due_date AT TIME ZONE 'UTC', '\"YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\"'), 'null'),
        coalesce(to_char(t.paid_at AT TIME ZONE 'UTC', '\"YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\"'), 'null'),
        coalesce(to_json(t.booking_reference), 'null'), coalesce(t.booking_id::text, 'null'),
        to_json(coalesce(t.tags, '{}')), coalesce(t.metadata, '{}')) AS json
      FROM transactions t
      WHERE t.id = v.id AND t.owner_id =
      (SELECT $1::bigint) AND (t.owner_id = $1 OR t.owner_id = ANY (ARRAY[$1]))
      LIMIT 1) t), wanted AS MATERIALIZED
  (SELECT t.*,
    format('{"propertyId":%s,"type":"%s","category":"%s","subcategory":%s,"description":%s,"amount":%s,"date":%s,"status":"%s","paymentMethod":%s,"paymentReference":%s,"recurring":%s,"frequency":%s,"vendor":%s,"receiptUrl":%s,"notes":%s,"dueDate":%s,"paidAt":%s,"bookingReference":%s,"bookingId":%s,"tags":%s,"metadata":%s}',
      t.property_id, t.type, t.category, coalesce(to_json(t.subcategory), 'null'), to_json(t.description),
      t.amount, to_char(t.date AT TIME ZONE 'UTC', '\"YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\"'), t.status,
      coalesce('"' || t.payment_method || '"', 'null'), coalesce(to_json(t.payment_reference), 'null'),
      to_json(t.recurring), coalesce('"' || t.frequency || '"', 'null'), coalesce(to_json(t.vendor),
        'null'), coalesce(to_json(t.receipt_url), 'null'), coalesce(to_json(t.notes), 'null'),
      coalesce(to_char(t.due_date AT TIME ZONE 'UTC', '\"YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\"'), 'null'),
      coalesce(to_char(t.paid_at AT TIME ZONE 'UTC', '\"YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\"'), 'null'),
      coalesce(to_json(t.booking_reference), 'null'), coalesce(t.booking_id::text, 'null'),
      to_json(coalesce(t.tags, '{}')), coalesce(t.metadata, '{}')) AS after
    FROM found t), written AS ( UPDATE transactions t
    SET property_id = n.property_id, type = n.type, category = n.category, subcategory = n.subcategory,
    description = n.description, amount = n.amount, date = n.date, status = n.status, payment_method =
    n.payment_method, payment_reference = n.payment_reference, recurring = n.recurring, frequency =
    n.frequency, vendor = n.vendor, receipt_url = n.receipt_url, notes = n.notes, due_date = n.due_date,
    paid_at = n.paid_at, booking_reference = n.booking_reference, booking_id = n.booking_id, tags =
    n.tags, metadata = n.metadata, version = t.version + 1, updated_at = CURRENT_TIMESTAMP, property_name
    =
    (SELECT p.name
      FROM properties p
      WHERE p.owner_id = $1 AND p.id = n.property_id)
    FROM wanted n
    WHERE t.id = n.id AND t.owner_id =
    (SELECT $1::bigint) AND (t.owner_id = $1 OR t.owner_id = ANY (ARRAY[$1])) AND t.version = n.expected
    AND n.version = n.expected AND n.before <> n.after AND $3::boolean
    RETURNING t.id) SELECT n.id, n.version, n.before <> n.after AS "isChanged", $3 AND n.before <> n.after
  AND n.version = n.expected AND w.id IS NULL AS "isMissed", CASE WHEN $3 THEN '{}' ELSE ARRAY( SELECT
    json_build_object('field', c.field, 'from', left(c.before, 255), 'to', left(c.after, 255))
    FROM ROWS
    FROM (json_each_text(n.before::json), json_each_text(n.after::json)) AS c(field, before, same, after)
    WHERE c.before IS DISTINCT FROM c.after) END AS changes
  FROM wanted n LEFT JOIN written w ON w.id = n.id;
