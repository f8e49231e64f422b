import { ConfigurationError, loadSettings, type Settings, VARIABLES } from '../../config/env.js';
import { isMadeOfWords } from '../../config/placeholders.js';
import type { Environment } from '../../config/variables.js';
import { type Finding, findingsOf } from './findings.js';

const MAKE_SECRET = 'openssl rand -base64 48';

/** Every fault of the settings; or the settings, for the other checks. */
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
    const remedy = 'correct the settings above, and run this again';
    const rest = { mark: 'warn', subject: 'database', text: 'not examined, nor the port', remedy } as const;
    return { findings: [...error.faults.map(describeFault), rest] };
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
/** Common names of settings that have another name here. */
const ALIASES: Readonly<Record<string, string>> = {
  DATABASE_URL: 'DB_URL',
  DB_DATABASE: 'DB_NAME',
  DB_PASS: 'DB_PASSWORD',
  DB_SSL: 'DB_SSLMODE',
  DB_USER: 'DB_USERNAME',
  JWT_EXPIRES_IN: 'JWT_EXPIRATION',
};

/** Variables that look like settings of the service, which ignores them. */
export function checkNames(env: Environment): Finding[] {
  return Object.keys(env).flatMap((name): Finding[] => {
    const meant = ALIASES[name] ?? VARIABLES.find((setting) => bare(setting) === bare(name));
    if (VARIABLES.includes(name) || (meant === undefined && !OURS.test(name))) return [];
    const text = `${name} is no setting of this service, and is ignored`;
    const remedy = meant === undefined ? 'remove it, or see .env.example for its name' : `use ${meant}`;
    return [{ mark: 'warn', subject: 'settings', text, remedy }];
  });
}

/** The name without its underscores and without the S of a plural: LOGLEVEL, IMPORT_AT_ONCE. */
function bare(name: string): string {
  return name.toUpperCase().split('_').join('').replace(/S$/, '');
}
