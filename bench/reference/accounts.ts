import type { KeyObject } from 'node:crypto';
import bcrypt from 'bcrypt';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import jwt from 'jsonwebtoken';
import type pg from 'pg';
import { select, toJson } from './columns.js';
import { found, HttpError } from './errors.js';

export interface Caller {
  readonly id: string;
  readonly admin: boolean;
}

/** Signature and expiry of the token, then the account as it is now. */
export type Authenticate = (request: FastifyRequest) => Promise<Caller>;

const LIFETIME = 3600;
/** Compared where there is no such account, so that both failures take as long. */
const DUMMY_HASH = '$2b$10$dpblC6STQ./bTIZqOsdbleZqoHds0AAWFGcPvmbD04Sem2HIBrj82';
const USER = ['id', 'email', 'username', 'firstName', 'lastName', 'role'];
const toUser = toJson(USER);

export function authenticator(pool: pg.Pool, key: KeyObject): Authenticate {
  return async ({ headers }) => {
    const [scheme, token = ''] = (headers.authorization ?? '').split(' ');
    const claims = scheme === 'Bearer' ? verified(token, key) : undefined;
    if (claims === undefined) throw new HttpError(401, 'A valid access token is required.');
    const text = 'SELECT role FROM users WHERE id = $1';
    const { rows } = await pool.query<{ role: string }>({ name: 'caller', text, values: [claims.sub] });
    if (rows[0] === undefined) throw new HttpError(401, 'A valid access token is required.');
    return { id: claims.sub ?? '', admin: rows[0].role === 'ADMIN' };
  };
}

function verified(token: string, key: KeyObject): jwt.JwtPayload | undefined {
  try {
    return jwt.verify(token, key, { algorithms: ['HS256'] }) as jwt.JwtPayload;
  } catch {
    return undefined;
  }
}

export function addAccounts(
  app: FastifyInstance,
  pool: pg.Pool,
  key: KeyObject,
  authenticate: Authenticate,
): void {
  app.get('/api/users/me', async (request) => {
    const { id } = await authenticate(request);
    const text = `${select(USER, 'users')} WHERE id = $1`;
    const { rows } = await pool.query<Record<string, unknown>>({ name: 'user', text, values: [id] });
    return toUser(found(rows));
  });
  app.post('/api/auth/signin', async ({ body }) => {
    const { username, password } = body as Record<string, unknown>;
    if (typeof username !== 'string' || typeof password !== 'string')
      throw new HttpError(400, 'A username and a password are required.');
    const text = 'SELECT * FROM users WHERE lower(username) = lower($1)';
    const { rows } = await pool.query({ name: 'sign_in', text, values: [username] });
    const [row] = rows as Record<string, string>[];
    const correct = await bcrypt.compare(password, row?.['password_hash'] ?? DUMMY_HASH);
    if (row === undefined || !correct) throw new HttpError(401, 'The username or the password is wrong.');
    const authorities = [`ROLE_${row['role'] ?? ''}`];
    const accessToken = jwt.sign({ authorities }, key, { subject: row['id'] ?? '', expiresIn: LIFETIME });
    return { accessToken, tokenType: 'Bearer', expiresIn: LIFETIME, user: toUser(row) };
  });
}
