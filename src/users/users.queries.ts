import type { Statement } from '../database/database.js';
import { JsonView } from '../database/json-view.js';
import { fieldsOf } from '../http/fields/fields.js';
import { User } from './user.entity.js';
import { UserResponse } from './user.response.js';

/** Never the hash: it is no field of the answer. */
export const USER_VIEW = JsonView.of(User, fieldsOf(UserResponse));

/** The accounts of the requests that came in together. Columns, because most requests need no JSON of the account. */
export const CALLERS: Statement = {
  name: 'users.callers',
  text: `SELECT ${USER_VIEW.columns('t.')} FROM users t WHERE t.id = ANY ($1::bigint[])`,
};

export const USER_BY_ID: Statement = {
  name: 'users.by_id',
  text: `SELECT ${USER_VIEW.json} AS json FROM users t WHERE t.id = $1`,
};

export const USER_FOR_SIGN_IN: Statement = {
  name: 'users.sign_in',
  text: `SELECT t.id, t.role, t.password_hash, ${USER_VIEW.json} AS json FROM users t WHERE lower(t.username) = lower($1)`,
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

/** Which of the two unique names an account that could not be inserted shares. */
export const NAME_CLASH: Statement = {
  text: `SELECT EXISTS (SELECT 1 FROM users WHERE lower(email) = lower($1)) AS email,
                EXISTS (SELECT 1 FROM users WHERE lower(username) = lower($2)) AS username`,
};
