import { Client } from '../support/client.js';
import type { Service } from '../support/service.js';
import type { Pair } from './measure.js';

/** bcrypt reads 72 bytes: longer passwords go another way. The last fills the largest body that is read. */
const PASSWORDS: Readonly<Record<string, string>> = {
  'of 12 bytes': 'not this one',
  'of 72 bytes': 'x'.repeat(72),
  'of 73 bytes': 'x'.repeat(73),
  'of 288 bytes': '😀'.repeat(72),
  'of a whole body': 'x'.repeat(16 * 1024 - 100),
};

/** Those that are also tried where the right password is long. */
const LONG_ONES = ['of 12 bytes', 'of 288 bytes'];

const OWN_PASSWORDS: Readonly<Record<string, string>> = {
  short: 'correct horse',
  long: 'é'.repeat(72),
};

/** An unknown name against a wrong password, for accounts whose own passwords are short and long. */
export async function signInPairs(service: Service): Promise<Pair[]> {
  const client = new Client(service.url);
  for (const [name, password] of Object.entries(OWN_PASSWORDS)) {
    const username = `known-${name}`;
    const answer = await client.post('/api/auth/signup', {
      username,
      email: `${name}@example.com`,
      password,
    });
    if (answer.status !== 201) throw new Error(`no account: ${answer.text}`);
  }
  return Object.entries(PASSWORDS).flatMap(([length, password]) =>
    Object.keys(OWN_PASSWORDS)
      .filter((own) => own === 'short' || LONG_ONES.includes(length))
      .map((own) => ({
        name: `sign-in with a password ${length}: unknown name, known with a ${own} one`,
        one: signIn(`ghost-${own}`, password),
        other: signIn(`known-${own}`, password),
        status: 401,
        isRelative: true,
      })),
  );
}

function signIn(username: string, password: string): Pair['one'] {
  return { method: 'POST', target: '/api/auth/signin', body: JSON.stringify({ username, password }) };
}
