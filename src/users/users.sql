-- Written by npm run sql.

-- POST /api/auth/signup

SELECT t.id, t.email, t.username, t.first_name AS "firstName", t.last_name AS "lastName", t.role
  FROM users t
  WHERE t.id = ANY ($1::bigint[]);

INSERT INTO "users" AS "t"("id", "email", "username", "password_hash", "first_name", "last_name", "role",
    "created_at", "updated_at", "version")
  VALUES (DEFAULT, $1::text, $2::text, $3::text, $4::text, $5::text, $6::text, DEFAULT, DEFAULT, 1) ON
  CONFLICT DO NOTHING
  RETURNING "t"."id", "t"."email", "t"."username", "t"."first_name" AS "firstName", "t"."last_name" AS
  "lastName", "t"."role";

-- POST /api/auth/signin

SELECT t.id, t.email, t.username, t.first_name AS "firstName", t.last_name AS "lastName", t.role,
  t.password_hash AS "passwordHash"
  FROM users t
  WHERE lower(t.username) = lower($1);

-- POST /api/auth/signup of an ADMIN

SELECT lower(email) = lower($1) AS "isEmail"
  FROM users
  WHERE lower(email) = lower($1) OR lower(username) = lower($2);

-- GET /api/users of an ADMIN

SELECT t.id, t.email, t.username, t.first_name AS "firstName", t.last_name AS "lastName", t.role
  FROM users t
  WHERE t.id > $1
  ORDER BY t.id
  LIMIT 20;

-- DELETE /api/users/1 of an ADMIN

DELETE
  FROM "users"
  WHERE "id" = $1
  RETURNING "id";
