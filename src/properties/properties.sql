-- Written by npm run sql.

-- :propertyJson

format('{"id":%s,"ownerId":%s,"name":%s,"address":%s,"description":%s,"basePrice":%s,"maxGuests":%s,"bedrooms":%s,"bathrooms":%s,"active":%s,"strPermitNumber":%s,"houseRules":%s,"checkInInstructions":%s}',
    t.id, t.owner_id, to_json(t.name), to_json(t.address), coalesce(to_json(t.description), 'null'),
    t.base_price, t.max_guests, t.bedrooms, t.bathrooms, to_json(t.active),
    coalesce(to_json(t.str_permit_number), 'null'), coalesce(to_json(t.house_rules), 'null'),
    coalesce(to_json(t.check_in_instructions), 'null'))

-- GET /api/properties?sort=name,desc&size=1

WITH found AS NOT MATERIALIZED
  (SELECT t.name COLLATE "C" AS key0, t.id AS id
    FROM properties t
    WHERE t.owner_id = $1), k AS MATERIALIZED
  (SELECT *
    FROM found
    ORDER BY key0 DESC, id DESC
    LIMIT $2::bigint + 1 ) SELECT
  (coalesce((SELECT o.properties
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
      (SELECT :propertyJson
        FROM properties t
        WHERE t.id = k.id AND t.owner_id =
        (SELECT $1::bigint) AND (t.owner_id = $1 OR t.owner_id = ANY (ARRAY[$1]))) AS json
      FROM k
      LIMIT $2::bigint) r) c;

-- GET the next page

WITH found AS NOT MATERIALIZED
  (SELECT t.name COLLATE "C" AS key0, t.id AS id
    FROM properties t
    WHERE t.owner_id = $1), k AS MATERIALIZED
  (SELECT *
    FROM found
    WHERE (key0, id) < ($3, $4)
    ORDER BY key0 DESC, id DESC
    LIMIT $2::bigint + 1 ) SELECT
  (coalesce((SELECT o.properties
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
      (SELECT :propertyJson
        FROM properties t
        WHERE t.id = k.id AND t.owner_id =
        (SELECT $1::bigint) AND (t.owner_id = $1 OR t.owner_id = ANY (ARRAY[$1]))) AS json
      FROM k
      LIMIT $2::bigint) r) c;

-- POST /api/properties

INSERT INTO idempotency_keys (owner_id, caller_id, key, fingerprint, answer)
  VALUES ($1, $1, $2, $3, '');

INSERT INTO "properties" AS "Property"("owner_id", "id", "name", "address", "description", "base_price",
    "max_guests", "bedrooms", "bathrooms", "active", "str_permit_number", "house_rules",
    "check_in_instructions", "created_at", "updated_at", "version")
  VALUES ($1::bigint, DEFAULT, $2::text, $3::text, $4::text, $5::numeric, $6::integer, $7::integer,
    $8::integer, $9::boolean, $10::text, $11::text, $12::text, DEFAULT, DEFAULT, 1)
  RETURNING "id" AS "id", "owner_id" AS "ownerId", "version";

UPDATE idempotency_keys k
  SET resource_id = $3, version = $4, answer = $5
  WHERE k.owner_id = $1 AND k.caller_id = $1 AND k.key = $2;

-- GET /api/properties/:property

SELECT t.version, :propertyJson AS json
  FROM properties t
  WHERE t.owner_id = $1 AND t.id = $2;

-- PUT /api/properties/:property

SELECT t.owner_id AS "ownerId", t.version
  FROM properties t
  WHERE t.owner_id = $1 AND t.id = $2;

UPDATE "properties"
  SET "name" = $1::text, "address" = $2::text, "description" = $3::text, "base_price" = $4::numeric,
  "max_guests" = $5::integer, "bedrooms" = $6::integer, "bathrooms" = $7::integer, "active" = $8::boolean,
  "str_permit_number" = $9::text, "house_rules" = $10::text, "check_in_instructions" = $11::text,
  "version" = "version" + 1, "updated_at" = CURRENT_TIMESTAMP
  WHERE "owner_id" = $12 AND "id" = $13 AND "version" = ANY ($14::integer[])
  RETURNING "id" AS "id", "owner_id" AS "ownerId", "version";

-- DELETE /api/properties/:property

DELETE
  FROM "properties"
  WHERE "owner_id" = $1 AND "id" = $2 AND ($3::integer[] IS NULL OR "version" = ANY ($3))
  RETURNING "id";

-- GET /api/properties/changes

WITH k AS MATERIALIZED ( SELECT c.at, c.id, c.written
    FROM
    (SELECT t.updated_at AS at, t.id, true AS written
      FROM properties t
      WHERE t.owner_id = $1 AND (t.updated_at, t.id) > ($2::timestamptz, $3::bigint) AND t.updated_at <
      $4::timestamptz
      UNION ALL
      (SELECT d.at, d.id, false
        FROM deletions d
        WHERE d.owner_id = $1 AND d.kind = 'properties' AND (d.at, d.id) > ($2::timestamptz, $3::bigint)
        AND d.at < $4::timestamptz AND d.at >= $5::timestamptz AND
        (SELECT t.id
          FROM properties t
          WHERE t.id = d.id AND t.owner_id =
          (SELECT $1::bigint) AND (t.owner_id = $1 OR t.owner_id = ANY (ARRAY[$1]))) IS NULL
        ORDER BY d.at, d.id
        LIMIT $6)) c
    ORDER BY c.at, c.id
    LIMIT $6), s AS
  (SELECT k.*, row_number() OVER o AS number,
    sum(coalesce((SELECT 1024 + coalesce(octet_length(t.name), 0) + coalesce(octet_length(t.address), 0) +
          coalesce(octet_length(t.description), 0) + coalesce(octet_length(t.str_permit_number), 0) +
          coalesce(octet_length(t.house_rules), 0) + coalesce(octet_length(t.check_in_instructions), 0)
          FROM properties t
          WHERE t.id = k.id AND t.owner_id =
          (SELECT $1::bigint) AND (t.owner_id = $1 OR t.owner_id = ANY (ARRAY[$1]))), 64)) OVER o AS size
    FROM k WINDOW o AS (ORDER BY k.at, k.id)), j AS
  (SELECT s.at, s.id, s.number, CASE WHEN s.written THEN
    (SELECT '{"change":"written","at":"' || to_char(t.updated_at AT TIME ZONE 'UTC',
        'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '","version":' || t.version || ',"property":' || :propertyJson
      || '}'
      FROM properties t
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

-- GET /api/properties?sort=name,desc&size=1 of an ADMIN

WITH found AS NOT MATERIALIZED
  (SELECT t.name COLLATE "C" AS key0, t.id AS id
    FROM properties t
    WHERE t.id <> 0), k AS MATERIALIZED
  (SELECT *
    FROM found
    ORDER BY key0 DESC, id DESC
    LIMIT $1::bigint + 1 ) SELECT
  ((SELECT coalesce(sum(o.properties), 0)
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
    (SELECT :propertyJson AS json, t.name COLLATE "C" AS key0, t.id AS id
      FROM properties t
      WHERE t.id = ANY
      (ARRAY(SELECT k.id
          FROM k
          LIMIT $1::bigint))
      ORDER BY key0 DESC, id DESC
      LIMIT $1::bigint) r) c;

-- GET the next page of an ADMIN

WITH found AS NOT MATERIALIZED
  (SELECT t.name COLLATE "C" AS key0, t.id AS id
    FROM properties t
    WHERE t.id <> 0), k AS MATERIALIZED
  (SELECT *
    FROM found
    WHERE (key0, id) < ($2, $3)
    ORDER BY key0 DESC, id DESC
    LIMIT $1::bigint + 1 ) SELECT
  ((SELECT coalesce(sum(o.properties), 0)
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
    (SELECT :propertyJson AS json, t.name COLLATE "C" AS key0, t.id AS id
      FROM properties t
      WHERE t.id = ANY
      (ARRAY(SELECT k.id
          FROM k
          LIMIT $1::bigint))
      ORDER BY key0 DESC, id DESC
      LIMIT $1::bigint) r) c;

-- GET /api/properties/:property of an ADMIN

SELECT t.version, :propertyJson AS json
  FROM properties t
  WHERE t.id = $1;

-- PUT /api/properties/:property of an ADMIN

SELECT t.owner_id AS "ownerId", t.version
  FROM properties t
  WHERE t.id = $1;

-- Several at once: properties.get_each

SELECT r.*
  FROM
  (SELECT *
    FROM unnest($1::bigint[], $2::bigint[]) WITH ORDINALITY u (owner_id, id, place)
    LIMIT cardinality($1)) k LEFT JOIN LATERAL
  (SELECT t.version, :propertyJson AS json
    FROM properties t
    WHERE t.owner_id = k.owner_id AND t.id = k.id
    LIMIT 1) r ON true
  ORDER BY k.place;
