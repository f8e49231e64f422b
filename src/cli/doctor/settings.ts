import { randomBytes } from 'node:crypto';
import { ConfigurationError, loadSettings, type Settings, VARIABLES } from '../../config/env.js';
import { isMadeOfWords } from '../../config/placeholders.js';
import type { Environment } from '../../config/variables.js';
import { type Finding, findingsOf } from './findings.js';

const MAKE_SECRET = 'openssl rand -base64 48';

/** Every fault of the settings, and the settings without the faulty ones, for the checks that follow. */
export function checkSettings(env: Environment): { findings: Finding[]; settings?: Settings } {
  try {
    const settings = loadSettings({ ...env });
    const origins = settings.corsAllowedOrigins.join(', ') || 'off: web pages of other origins may not call';
    const findings = [
      ...findingsOf('settings', 'all readable'),
      ...checkSecret(settings.jwt.secret),
      ...findingsOf('CORS', origins),
    ];
    return { settings, findings };
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
  const [text = fault, remedy = `correct ${variable} in the environment, or in .env`] =
    fault.split(/: (.*)/s);
  if (variable === 'JWT_SECRET')
    return { mark: 'fail', subject: 'secret', text, remedy: `echo "JWT_SECRET=$(${MAKE_SECRET})" >> .env` };
  return { mark: 'fail', subject: variable.startsWith('CORS') ? 'CORS' : 'settings', text, remedy };
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

/** A text of 32 random hexadecimal digits has fewer once in 400,000 times. */
const FEWEST_CHARACTERS = 9;

function checkSecret(secret: string): Finding[] {
  const isEasy = new Set(secret).size < FEWEST_CHARACTERS || isMadeOfWords(secret);
  const remedy = `replace it with the output of: ${MAKE_SECRET}`;
  return findingsOf('secret', 'long enough, and hard to guess', [
    [isEasy, 'warn', 'JWT_SECRET is long enough, but easy to guess', remedy],
  ]);
}

const OURS = /^(BODY|CORS|DB|IMPORTS?|JWT|LOG|METRICS|SHUTDOWN)_/;
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
  return Object.keys(env).flatMap((name): Finding[] => {
    const meant = ALIASES[name] ?? VARIABLES.find((setting) => bare(setting) === bare(name));
    if (VARIABLES.includes(name) || (meant === undefined && !OURS.test(name))) return [];
    const text = `${name} is no setting of this service, and is ignored`;
    return [{ mark: 'warn', subject: 'settings', text, remedy: remedyFor(meant, env) }];
  });
}

function remedyFor(meant: string | undefined, env: Environment): string {
  if (meant === undefined) return 'remove it, or see .env.example for its name';
  return env[meant] === undefined ? `call it ${meant}` : `remove it: ${meant} is set as well`;
}

/** The name without its underscores and without the S of a plural: LOGLEVEL, IMPORT_AT_ONCE. */
function bare(name: string): string {
  return name.toUpperCase().split('_').join('').replace(/S$/, '');
}
