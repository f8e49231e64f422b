import type pg from 'pg';
import { Tokens } from '../../auth/tokens.js';
import type { Settings } from '../../config/env.js';
import { portError, remedyFor } from '../../port.js';
import { fail, type Finding, ok, warn } from './finding.js';
import { withConnection } from './server-connection.js';

const ANSWER_TIME = 5000;
/** Of the token that asks the service who it is. */
const TOKEN_LIFETIME = 10_000;
const TOKEN_WANTED = 'urn:property-finance:problem:authentication-required';

type Answerer = 'another program' | 'another set-up' | 'no database' | 'unknown' | 'this service';

/** Whether the service could listen; when it cannot since it does already, on this database, that is right as well. */
export async function checkPort(settings: Settings, hasSecret: boolean): Promise<Finding> {
  const { host, port } = settings;
  const code = await portError(host, port);
  if (code === undefined) return ok('port', `${port} on ${host} is free`);
  if (code === 'EADDRINUSE') return findingOf(await answererAt(settings, hasSecret), settings);
  return fail('port', `${port} on ${host} cannot be listened on (${code})`, remedyFor(code, port));
}

function findingOf(answerer: Answerer, { host, port }: Settings): Finding {
  const remedy = remedyFor('EADDRINUSE', port);
  switch (answerer) {
    case 'this service':
      return ok('port', `the service answers on ${port} already, on this database`);
    case 'no database':
      return warn(
        'port',
        `the service answers on ${port} already, but that its database is away`,
        'look into its log',
      );
    case 'unknown':
      return warn(
        'port',
        `a service like this one answers on ${port}; on which database cannot be told before the rest is mended`,
        'mend it, and run this again',
      );
    case 'another set-up':
      return fail(
        'port',
        `a service like this one answers on ${port}, but it is on another database or has another JWT_SECRET`,
        remedy,
      );
    case 'another program':
      return fail('port', `${port} on ${host} is taken by another program (EADDRINUSE)`, remedy);
  }
}

async function answererAt(settings: Settings, hasSecret: boolean): Promise<Answerer> {
  const nameless = await askWhoAmI(settings);
  if (nameless?.json['type'] !== TOKEN_WANTED) return 'another program'; // and it gets no token
  if (!hasSecret) return 'unknown';
  try {
    return await withConnection(settings.database, ({ client }) => compare(settings, client));
  } catch {
    return 'unknown';
  }
}

interface Person {
  readonly id: string;
  readonly username: string;
}

/** Lets the service look up an account of this database, and looks in the database whether it has. */
async function compare(settings: Settings, client: pg.Client): Promise<Answerer> {
  const account = await anyAccount(client);
  const { rows } = await client.query<{ now: string }>('SELECT clock_timestamp()::text AS now');
  const { secret } = settings.jwt;
  const tokens = new Tokens({ jwt: { secret, previousSecret: undefined, lifetime: TOKEN_LIFETIME } });
  const answer = await askWhoAmI(settings, tokens.issue({ id: account?.id ?? '1', role: 'USER' }));
  if (answer === undefined) return 'unknown';
  if (answer.status === 503) return 'no database';
  const isKnown =
    account === undefined ? answer.status === 401 : answer.json['username'] === account.username;
  if (isKnown && settings.database.pooler !== 'none') return 'this service'; // it goes by other names there
  return isKnown && (await wasAsked(client, rows[0]?.now)) ? 'this service' : 'another set-up';
}

async function anyAccount(client: pg.Client): Promise<Person | undefined> {
  const { rows } = await client.query<{ there: boolean }>(`SELECT to_regclass('users') IS NOT NULL AS there`);
  if (rows[0]?.there !== true) return undefined;
  const found = await client.query<Person>('SELECT id, username FROM users ORDER BY id DESC LIMIT 1');
  return found.rows[0];
}

/** Two databases have the same accounts when one is a copy of the other: only in one has something happened since. */
async function wasAsked(client: pg.Client, since: string | undefined): Promise<boolean> {
  const { rows } = await client.query<{ asked: boolean }>(
    // Of another role's connections nothing can be seen but that they are there.
    `SELECT EXISTS (SELECT FROM pg_stat_activity
                     WHERE datname = current_database() AND application_name = 'property-finance'
                       AND coalesce(state_change >= $1::timestamptz, true)) AS asked`,
    [since],
  );
  return rows[0]?.asked === true;
}

interface Answer {
  readonly status: number;
  readonly json: Record<string, unknown>;
}

/** Undefined where nothing comes that could be of this service. */
async function askWhoAmI({ host, port }: Settings, token?: string): Promise<Answer | undefined> {
  const name = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[host] ?? (host.includes(':') ? `[${host}]` : host);
  try {
    const answer = await fetch(`http://${name}:${port}/api/users/me`, {
      headers: token === undefined ? {} : { Authorization: `Bearer ${token}` },
      redirect: 'error',
      signal: AbortSignal.timeout(ANSWER_TIME),
    });
    return { status: answer.status, json: (await answer.json()) as Record<string, unknown> };
  } catch {
    return undefined;
  }
}
