import { type HttpAnswer, send } from '../../support/http.js';
import type { Criterion } from '../../faults/protocol.js';
import { criterion } from '../../faults/support/criteria.js';
import { tally } from '../../faults/support/figures.js';
import type { Owner } from '../../faults/support/accounts.js';
import type { Proxy } from './proxies.js';

const MORE = 10;
/** nginx lets one through beside its burst, and another when three seconds have passed. */
const TOLERANCE = 4;
const SPELLINGS = ['/api/auth/signin', '/api/auth/sign%69n'];

/** Somebody tries passwords, under both spellings of the path. */
export async function guessing(
  name: string,
  { url, agent }: Proxy,
  { token }: Owner,
  allowed: number,
): Promise<Criterion[]> {
  const answers: HttpAnswer[] = [];
  const body = JSON.stringify({ username: 'ada', password: 'a guess' });
  const headers = { 'content-type': 'application/json' };
  for (let index = 0; index < allowed + MORE; index++) {
    const path = SPELLINGS[index % SPELLINGS.length] ?? '';
    answers.push(await send(url, { method: 'POST', path, headers, body }, { agent }));
  }
  const [passed, refused] = [401, 429].map((wanted) => answers.filter(({ status }) => status === wanted));
  const me = { method: 'GET', path: '/api/users/me', headers: { authorization: `Bearer ${token}` } };
  const other = await send(url, me, { agent });
  agent.destroy();
  return [
    criterion(
      `${name}: about ${allowed} tries of a password a minute get through, the others are 429`,
      passed !== undefined && passed.length >= allowed && passed.length <= allowed + TOLERANCE,
      tally(answers.map(({ status }) => String(status))),
    ),
    criterion(
      `${name}: a 429 is a problem with Retry-After`,
      refused?.every(isProblem) === true,
      refused?.[0]?.text ?? 'none',
    ),
    criterion(
      `${name}: all else is served over TLS, with HSTS`,
      other.status === 200 && 'strict-transport-security' in other.headers,
      `${other.status}, ${String(other.headers['strict-transport-security'])}`,
    ),
  ];
}

function isProblem({ headers, text }: HttpAnswer): boolean {
  const { status } = JSON.parse(text) as { status: number };
  return (
    status === 429 &&
    headers['content-type'] === 'application/problem+json' &&
    headers['retry-after'] === '60'
  );
}
