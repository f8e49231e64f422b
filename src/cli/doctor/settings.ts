import { randomBytes } from 'node:crypto';
import { ConfigurationError, loadSettings, type Settings, VARIABLES } from '../../config/env.js';
import { isMadeOfWords } from '../../config/placeholders.js';
import type { Environment } from '../../config/variables.js';
import { type Finding, findingsOf } from './report.js';

const MAKE_SECRET = 'openssl rand -base64 48';

/** Every fault of the settings, and the settings without the faulty ones, for the checks that follow. */
export function checkSettings(env: Environment): { findings: Finding[]; settings?: Settings } {
  try {
    const settings = loadSettings({ ...env });
    const origins = settings.corsAllowedOrigins.join(', ') || 'off: web pages of other origins may not call';
    return {
      settings,
      findings: [
        ...findingsOf('settings', 'all readable', []),
        ...checkSecret(settings.jwt.secret),
        ...findingsOf('CORS', origins, []),
      ],
    };
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const findings = error.faults.map(describeFault);
    const settings = readLeniently(env, error.faults);
    if (settings !== undefined) return { settings, findings };
    const remedy = 'mend the settings above, and run this again';
    return { findings: [...findings, { mark: 'warn', subject: 'database', text: 'not examined', remedy }] };
  }
}

/** A fault begins with the name of its variable, and most have a remedy after a colon. */
function describeFault(fault: string): Finding {
  const [variable = ''] = fault.split(' ', 1);
  const [text = fault, remedy] = fault.split(/: (.*)/s);
  if (variable === 'JWT_SECRET')
    return { mark: 'fail', subject: 'secret', text, remedy: `echo "JWT_SECRET=$(${MAKE_SECRET})" >> .env` };
  return {
    mark: 'fail',
    subject: variable.startsWith('CORS') ? 'CORS' : 'settings',
    text,
    remedy: remedy ?? `correct ${variable} in the environment, or in .env`,
  };
}

function readLeniently(env: Environment, faults: readonly string[]): Settings | undefined {
  const faulty = faults.map((fault) => /^[A-Z_]+?(?=_FILE | |$)/.exec(fault)?.[0] ?? '');
  // A secret and the file that it may come from.
  const rest = Object.entries(env).filter(([name]) => !faulty.includes(name.replace(/_FILE$/, '')));
  const substitute = faulty.includes('JWT_SECRET') ? { JWT_SECRET: randomBytes(32).toString('hex') } : {};
  try {
    return loadSettings({ ...Object.fromEntries(rest), ...substitute });
  } catch {
    return undefined;
  }
}

/** The strength of an HS256 key that resists guessing. */
const ENOUGH_BITS = 128;

function checkSecret(secret: string): Finding[] {
  return findingsOf('secret', 'long enough, and hard to guess', [
    [
      bitsOf(secret) < ENOUGH_BITS || isMadeOfWords(secret),
      'warn',
      'JWT_SECRET is long enough, but easy to guess',
      `replace it with the output of: ${MAKE_SECRET}`,
    ],
  ]);
}

/** Shannon's measure: the entropy of the text's characters, times their number. */
function bitsOf(text: string): number {
  const chars = Array.from(text);
  const share = (char: string): number => chars.filter((other) => other === char).length / chars.length;
  return chars.reduce((bits, char) => bits - Math.log2(share(char)), 0);
}

const OURS = /^(DB|JWT|CORS)_/;
/** Of libpq, which other programs read, and of the quickstart. */
const OF_POSTGRESQL = 'PG';
/** Usual names of settings that have another one here. */
const ALIASES: Readonly<Record<string, string>> = {
  DATABASE_URL: 'DB_URL',
  DB_DATABASE: 'DB_NAME',
  DB_PASS: 'DB_PASSWORD',
  DB_SSL: 'DB_SSLMODE',
  DB_USER: 'DB_USERNAME',
  JWT_EXPIRES_IN: 'JWT_EXPIRATION',
};

/** Variables that the service ignores although they look like its own. */
export function checkNames(env: Environment): Finding[] {
  const known: readonly string[] = VARIABLES;
  return Object.keys(env)
    .filter((name) => !known.includes(name) && !name.startsWith(OF_POSTGRESQL))
    .flatMap((name): Finding[] => {
      const meant = ALIASES[name] ?? known.find((setting) => isMisspelt(name, setting));
      if (meant === undefined && !OURS.test(name)) return [];
      const text = `${name} is no setting of this service, and is ignored`;
      return [{ mark: 'warn', subject: 'settings', text, remedy: remedyFor(meant, env) }];
    });
}

function remedyFor(meant: string | undefined, env: Environment): string {
  if (meant === undefined) return 'remove it, or see .env.example for its name';
  return env[meant] === undefined ? `call it ${meant}` : `remove it: ${meant} is set as well`;
}

/** Short names resemble each other by chance: PATH is no misspelt PORT. */
const LONG = 6;

function isMisspelt(name: string, setting: string): boolean {
  return isWithin(name, setting, name.length < LONG ? 1 : 2);
}

/** Whether so many characters put in, removed or replaced make one text the other (Levenshtein). */
function isWithin(one: string, other: string, edits: number): boolean {
  if (one === '' || other === '') return Math.max(one.length, other.length) <= edits;
  const [head, rest] = [one.charAt(0), one.slice(1)];
  if (other.startsWith(head)) return isWithin(rest, other.slice(1), edits);
  if (edits === 0) return false;
  const changed: [string, string][] = [
    [rest, other],
    [one, other.slice(1)],
    [rest, other.slice(1)],
  ];
  return changed.some(([left, right]) => isWithin(left, right, edits - 1));
}
