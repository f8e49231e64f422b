-- Written by npm run sql.

-- POST /api/auth/signup

SELECT t.id, t.role,
  (SELECT row_to_json(v)::text
    FROM
    (SELECT t.id AS "id", t.email AS "email", t.username AS "username", t.first_name AS "firstName",
      t.last_name AS "lastName", t.role AS "role" ) v) AS json
  FROM users t
  WHERE t.id = ANY ($1::bigint[]);

INSERT INTO users AS t (email, username, password_hash, first_name, last_name, role)
  VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING
  RETURNING t.id, t.role,
  (SELECT row_to_json(v)::text
    FROM
    (SELECT t.id AS "id", t.email AS "email", t.username AS "username", t.first_name AS "firstName",
      t.last_name AS "lastName", t.role AS "role" ) v) AS json;

-- POST /api/auth/signin

SELECT t.id, t.role, t.password_hash,
  (SELECT row_to_json(v)::text
    FROM
    (SELECT t.id AS "id", t.email AS "email", t.username AS "username", t.first_name AS "firstName",
      t.last_name AS "lastName", t.role AS "role" ) v) AS json
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

SELECT
  coalesce(string_agg((SELECT row_to_json(v)::text
        FROM
        (SELECT t.id AS "id", t.email AS "email", t.username AS "username", t.first_name AS "firstName",
          t.last_name AS "lastName", t.role AS "role" ) v), ','
      ORDER BY t.id), '') AS json
  FROM users t;

-- GET /api/users/1 of an ADMIN

SELECT
  (SELECT row_to_json(v)::text
    FROM
    (SELECT t.id AS "id", t.email AS "email", t.username AS "username", t.first_name AS "firstName",
      t.last_name AS "lastName", t.role AS "role" ) v) AS json
  FROM users t
  WHERE t.id = $1;

-- DELETE /api/users/1 of an ADMIN

DELETE
  FROM users t
  WHERE t.id = $1
  RETURNING t.id;
