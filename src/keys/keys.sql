-- Written by npm run sql.

-- POST /api/keys

SELECT
  (SELECT nextval('api_keys_id_seq')) AS id, s AS slot
  FROM generate_series(1, 20) s
  WHERE s NOT IN
  (SELECT k.slot
    FROM api_keys k
    WHERE k.user_id = $1)
  ORDER BY random()
  LIMIT 1;

INSERT INTO "api_keys" AS "ApiKey"("id", "user_id", "slot", "name", "access", "digest", "created_at",
    "last_used", "expires_at")
  VALUES ($1::bigint, $2::bigint, $3::integer, $4::text, $5::text, $6::bytea, DEFAULT, DEFAULT,
    $7::timestamptz) ON CONFLICT DO NOTHING
  RETURNING "created_at" AS "createdAt", "last_used" AS "lastUsed";

-- GET /api/keys

SELECT
  coalesce(string_agg(format('{"id":%s,"name":%s,"access":"%s","createdAt":%s,"lastUsed":%s,"expiresAt":%s}',
        t.id, to_json(t.name), t.access, to_char(t.created_at AT TIME ZONE 'UTC',
          '\"YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\"'), coalesce(to_json(t.last_used), 'null'),
        coalesce(to_char(t.expires_at AT TIME ZONE 'UTC', '\"YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\"'), 'null')),
      ','
      ORDER BY t.id), '') AS json
  FROM api_keys t
  WHERE t.user_id = $1;

-- DELETE /api/keys/1

DELETE
  FROM "api_keys"
  WHERE "user_id" = $1 AND "id" = $2
  RETURNING "id";

-- GET /api/users/me

SELECT k.id, k.digest, k.access, coalesce(k.last_used = (now() AT TIME ZONE 'UTC')::date, false) AS
  "isUsedToday", t.id AS "userId", t.email, t.username, t.first_name AS "firstName", t.last_name AS
  "lastName", t.role
  FROM api_keys k
  JOIN users t ON t.id = k.user_id
  WHERE k.id = ANY ($1::bigint[]) AND (k.expires_at > now()) IS NOT FALSE;
