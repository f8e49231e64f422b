-- Written by npm run sql.

-- :userJson

'{"id":' || coalesce(t.id::text, 'null') || ',"email":' || coalesce(to_json(t.email)::text, 'null') ||
  ',"username":' || coalesce(to_json(t.username)::text, 'null') || ',"firstName":' ||
  coalesce(to_json(t.first_name)::text, 'null') || ',"lastName":' || coalesce(to_json(t.last_name)::text,
    'null') || ',"role":' || coalesce(to_json(t.role)::text, 'null') || '}'

-- POST /api/auth/signup

SELECT t.id, t.role, :userJson AS json
  FROM users t
  WHERE t.id = ANY ($1::bigint[]);

WITH written AS ( INSERT INTO users AS t (email, username, password_hash, first_name, last_name, role)
    VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING
    RETURNING t.*) SELECT t.id, t.role, :userJson AS json
  FROM written t;

-- POST /api/auth/signin

SELECT t.id, t.role, t.password_hash, :userJson AS json
  FROM users t
  WHERE lower(t.username) = lower($1);

-- POST /api/auth/signup of an ADMIN

SELECT EXISTS
  (SELECT 1
    FROM users
    WHERE lower(email) = lower($1)) AS email, EXISTS
  (SELECT 1
    FROM users
    WHERE lower(username) = lower($2)) AS username;

-- GET /api/users of an ADMIN

SELECT coalesce(string_agg(:userJson, ','
      ORDER BY t.id), '') AS json
  FROM users t;

-- DELETE /api/users/1 of an ADMIN

DELETE
  FROM users t
  WHERE t.id = $1
  RETURNING t.id;
