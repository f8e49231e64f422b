import { randomBytes } from 'node:crypto';
import { ConfigurationError, loadSettings, type Settings, VARIABLES } from '../../config/env.js';
import type { Environment } from '../../config/variables.js';
import { isMadeOfWords } from '../../config/placeholders.js';
import { nearest } from '../spelling.js';
import { fail, type Finding, ok, warn } from './finding.js';

/** Every fault of the settings; and the settings, with what is faulty left out, to look further with. */
export function checkConfiguration(env: Environment): {
  findings: Finding[];
  settings: Settings | undefined;
  /** Whether the secret among them is the one that is given. */
  hasSecret: boolean;
} {
  try {
    const settings = loadSettings({ ...env });
    const findings = [ok('settings', 'all readable'), checkSecret(settings), checkCors(settings)];
    return { settings, findings, hasSecret: true };
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const settings = readLeniently(env, error.faults);
    const findings = error.faults.map(findingOf);
    if (settings === undefined)
      findings.push(warn('database', 'not looked at', 'mend the settings above, and run this again'));
    return { findings, settings, hasSecret: !error.faults.some((fault) => fault.startsWith('JWT_SECRET')) };
  }
}

/** Each fault begins with the name of its variable, and most of them say after a colon how to mend it. */
function findingOf(fault: string): Finding {
  const [variable = ''] = fault.split(' ', 1);
  if (variable === 'JWT_SECRET')
    return fail(
      'secret',
      fault.split(':', 1)[0] ?? fault,
      `echo "JWT_SECRET=$(openssl rand -base64 48)" >> .env`,
    );
  const [text = fault, remedy = `correct ${variable} in the environment, or in .env`] =
    fault.split(/: (.*)/s);
  return fail(variable.startsWith('CORS') ? 'CORS' : 'settings', text, remedy);
}

const OURS = /^(DB|JWT|CORS)_/;
/** Those of libpq, which other programs read, and of the quickstart. */
const OF_POSTGRESQL = 'PG';
/** What others call what is called differently here. */
const ALIASES: Readonly<Record<string, string>> = {
  DATABASE_URL: 'DB_URL',
  DB_DATABASE: 'DB_NAME',
  DB_PASS: 'DB_PASSWORD',
  DB_SSL: 'DB_SSLMODE',
  DB_USER: 'DB_USERNAME',
  JWT_EXPIRES_IN: 'JWT_EXPIRATION',
};
/** Variables that nobody reads, and that look as if this service should. */
export function checkNames(env: Environment): Finding[] {
  const known: readonly string[] = VARIABLES;
  return Object.keys(env)
    .filter((name) => !known.includes(name) && !name.startsWith(OF_POSTGRESQL))
    .flatMap((name) => {
      const meant = ALIASES[name] ?? nearest(name, known);
      if (meant === undefined && !OURS.test(name)) return [];
      const text = `${name} is no setting of this service, and is not read`;
      return [warn('settings', text, remedyOf(meant, env))];
    });
}

function remedyOf(meant: string | undefined, env: Environment): string {
  if (meant === undefined) return 'take it out, or see .env.example for its name';
  return env[meant] === undefined ? `call it ${meant}` : `take it out: ${meant} is set as well`;
}

/** About as many bits as a key for HS256 that is worth its name. */
const ENOUGH_BITS = 128;

function checkSecret({ jwt: { secret } }: Settings): Finding {
  if (bitsOf(secret) >= ENOUGH_BITS && !isMadeOfWords(secret))
    return ok('secret', 'long enough, and not to be guessed');
  return warn(
    'secret',
    'JWT_SECRET is long enough, but looks as if it could be guessed',
    'replace it with what this prints: openssl rand -base64 48',
  );
}

/** What the text could hold if its characters were drawn as often as they are in it (Shannon). */
function bitsOf(text: string): number {
  const counts = new Map<string, number>();
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1);
  const { length } = Array.from(text);
  let bits = 0;
  for (const count of counts.values()) bits -= count * Math.log2(count / length);
  return bits;
}

function checkCors({ corsAllowedOrigins: origins }: Settings): Finding {
  return ok('CORS', origins.length > 0 ? origins.join(', ') : 'off: web pages of other origins may not call');
}

function readLeniently(env: Environment, faults: readonly string[]): Settings | undefined {
  const faulty = faults.flatMap((fault) => {
    const name = /^[A-Z_]+?(?=_FILE | |$)/.exec(fault)?.[0] ?? '';
    return [name, `${name}_FILE`]; // a secret and the file that it may come from
  });
  const rest = Object.entries(env).filter(([name]) => !faulty.includes(name));
  const substitute = faulty.includes('JWT_SECRET') ? { JWT_SECRET: randomBytes(32).toString('hex') } : {};
  try {
    return loadSettings({ ...Object.fromEntries(rest), ...substitute });
  } catch {
    return undefined;
  }
}
