import type { Statement } from '../database/database.js';
import { JsonView } from '../database/json-view.js';
import { fieldsOf } from '../common/validation/fields.js';
import { User } from './user.entity.js';
import { UserResponse } from './dto/user.response.js';

/** Never the hash: it is no field of the response. */
export const USER_VIEW = new JsonView(User, fieldsOf(UserResponse));

export const USERS_BY_ID: Statement = {
  name: 'users.by_id',
  text: `SELECT t.id, t.role, ${USER_VIEW.json} AS json FROM users t WHERE t.id = ANY ($1::bigint[])`,
};

export const USER_FOR_SIGN_IN: Statement = {
  name: 'users.sign_in',
  text: `SELECT t.id, t.role, t.password_hash, ${USER_VIEW.json} AS json FROM users t WHERE lower(t.username) = lower($1)`,
};

/** $1 e-mail, $2 username, $3 hash, $4 and $5 first and last name, $6 role. No row when one of the two names is taken. */
export const INSERT_USER: Statement = {
  name: 'users.insert',
  text: `WITH written AS (
           INSERT INTO users AS t (email, username, password_hash, first_name, last_name, role)
           VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING RETURNING t.*)
         SELECT t.id, t.role, ${USER_VIEW.json} AS json FROM written t`,
};

/** $1 username, $2 role or null, $3 hash or null: null leaves the column as it is. */
export const UPDATE_USER: Statement = {
  text: `UPDATE users t SET role = coalesce($2, t.role), password_hash = coalesce($3, t.password_hash),
                version = t.version + 1, updated_at = now()
          WHERE lower(t.username) = lower($1) RETURNING t.id`,
};

export const DELETE_USER: Statement = {
  name: 'users.delete',
  text: 'DELETE FROM users t WHERE t.id = $1 RETURNING t.id',
};

/** The contract has this list unpaged. */
export const ALL_USERS: Statement = {
  name: 'users.all',
  text: `SELECT coalesce(string_agg(${USER_VIEW.json}, ',' ORDER BY t.id), '') AS json FROM users t`,
};

/** For the command line, which prints columns. */
export const ACCOUNTS: Statement = {
  text: 'SELECT t.id, t.role, t.username, t.email FROM users t ORDER BY t.id',
};

export const LAST_ADMIN: Statement = {
  text: `SELECT role = 'ADMIN' AND NOT EXISTS (SELECT 1 FROM users o WHERE o.role = 'ADMIN' AND o.id <> t.id) AS last
           FROM users t WHERE lower(t.username) = lower($1)`,
};

/** $1 e-mail, $2 username: the names that another account has, after an insertion without a row. */
export const NAME_CLASH: Statement = {
  text: `SELECT EXISTS (SELECT 1 FROM users WHERE lower(email) = lower($1)) AS email,
                EXISTS (SELECT 1 FROM users WHERE lower(username) = lower($2)) AS username`,
};
