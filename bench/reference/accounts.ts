import { createSecretKey, type KeyObject } from 'node:crypto';
import bcrypt from 'bcrypt';
import type pg from 'pg';
import { HttpError, readBody, type Request, type Route } from './http.js';
import { signToken, verifyToken } from './tokens.js';

export interface Caller {
  readonly id: string;
  readonly admin: boolean;
}

interface UserRow {
  id: string;
  email: string;
  username: string;
  password_hash: string;
  first_name: string | null;
  last_name: string | null;
  role: string;
}

const LIFETIME = 3600;
/** Compared with where there is no such account, so that both failures take as long. */
const DUMMY_HASH = '$2b$10$dpblC6STQ./bTIZqOsdbleZqoHds0AAWFGcPvmbD04Sem2HIBrj82';
const COLUMNS = 'id, email, username, password_hash, first_name, last_name, role';

export class Accounts {
  readonly routes: readonly Route[] = [
    { method: 'GET', path: /^\/api\/users\/me$/, handle: (request) => this.me(request) },
    { method: 'POST', path: /^\/api\/auth\/signin$/, handle: (request) => this.signIn(request) },
  ];
  private readonly key: KeyObject;

  constructor(
    private readonly pool: pg.Pool,
    secret: string,
  ) {
    this.key = createSecretKey(secret, 'utf8');
  }

  /** Who sends the request: the token's signature and expiry, then the account as it is now. */
  async authenticate({ raw }: Request): Promise<Caller> {
    const [scheme, token] = (raw.headers.authorization ?? '').split(' ');
    const claims = scheme === 'Bearer' && token !== undefined ? verifyToken(this.key, token) : undefined;
    if (claims === undefined) throw new HttpError(401, 'A valid access token is required.');
    const { rows } = await this.pool.query<{ role: string }>({
      name: 'caller',
      text: 'SELECT role FROM users WHERE id = $1',
      values: [claims.sub],
    });
    const [account] = rows;
    if (account === undefined) throw new HttpError(401, 'A valid access token is required.');
    return { id: claims.sub, admin: account.role === 'ADMIN' };
  }

  private async me(request: Request): Promise<unknown> {
    const { id } = await this.authenticate(request);
    const { rows } = await this.pool.query<UserRow>({
      name: 'user',
      text: `SELECT ${COLUMNS} FROM users WHERE id = $1`,
      values: [id],
    });
    const [row] = rows;
    if (row === undefined) throw new HttpError(404, 'There is no such user.');
    return toUser(row);
  }

  private async signIn({ raw }: Request): Promise<unknown> {
    const { username, password } = await readBody(raw);
    if (typeof username !== 'string' || typeof password !== 'string')
      throw new HttpError(400, 'A username and a password are required.');
    const { rows } = await this.pool.query<UserRow>({
      name: 'sign_in',
      text: `SELECT ${COLUMNS} FROM users WHERE lower(username) = lower($1)`,
      values: [username],
    });
    const [row] = rows;
    const correct = await bcrypt.compare(password, row?.password_hash ?? DUMMY_HASH);
    if (row === undefined || !correct) throw new HttpError(401, 'The username or the password is wrong.');
    const accessToken = signToken(this.key, row, LIFETIME);
    return { accessToken, tokenType: 'Bearer', expiresIn: LIFETIME, user: toUser(row) };
  }
}

function toUser(row: UserRow): unknown {
  return {
    id: Number(row.id),
    email: row.email,
    username: row.username,
    firstName: row.first_name,
    lastName: row.last_name,
    role: row.role,
  };
}
