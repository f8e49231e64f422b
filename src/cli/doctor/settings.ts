import { ConfigurationError, loadSettings, type Settings } from '../../config/env.js';
import { MAKE_SECRET } from '../../config/parsers.js';
import { isMadeOfWords } from '../../config/placeholders.js';
import { type Environment, VARIABLES } from '../../config/variables.js';
import { type Finding, findingsOf } from './findings.js';

/** Every fault of the settings; or the settings, for the other checks. */
export function checkSettings(env: Environment): { findings: Finding[]; settings?: Settings } {
  try {
    const settings = loadSettings({ ...env });
    const origins = settings.corsAllowedOrigins.join(', ') || 'off: web pages of other origins may not call';
    const fine = [...findingsOf('settings', 'all readable'), ...checkSecret(settings.jwt.secret)];
    const bounds = findingsOf('bounds', `at most ${settings.maxConnections} open connections`);
    return { settings, findings: [...fine, ...findingsOf('CORS', origins), ...bounds] };
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const remedy = 'correct the settings above, and run this again';
    const rest = { status: 'warn', subject: 'database', text: 'not examined, nor the port', remedy } as const;
    // A fault begins with the name of its variable, and most have a remedy after a colon.
    const findings = error.faults.map((fault): Finding => {
      const [text = fault, remedy = 'correct it in the environment, or in .env'] = fault.split(/: (.*)/s);
      return { status: 'fail', subject: 'settings', text, remedy };
    });
    return { findings: [...findings, rest] };
  }
}

const FEWEST_CHARACTERS = 9; // a text of 32 random hexadecimal digits has fewer once in 400,000 times

function checkSecret(secret: string): Finding[] {
  const isEasy = new Set(secret).size < FEWEST_CHARACTERS || isMadeOfWords(secret);
  return findingsOf('secret', 'long enough, and hard to guess', [
    [isEasy, 'warn', 'JWT_SECRET is long enough, but easy to guess', MAKE_SECRET],
  ]);
}

const OURS = /^(BODY|CORS|DATABASE|DB|IMPORTS?|JWT|LOG|METRICS|SHUTDOWN)_/;

/** Variables that look like settings of the service, which ignores them. */
export function checkNames(env: Environment): Finding[] {
  return Object.keys(env).flatMap((name): Finding[] => {
    const meant = VARIABLES.find((setting) => bare(setting) === bare(name));
    if (VARIABLES.includes(name) || (meant === undefined && !OURS.test(name))) return [];
    const text = `${name} is not a setting of this service, and is ignored`;
    const remedy = meant === undefined ? 'remove it, or see .env.example for its name' : `use ${meant}`;
    return [{ status: 'warn', subject: 'settings', text, remedy }];
  });
}

/** The name without its underscores and without the S of a plural: LOGLEVEL, IMPORT_AT_ONCE. */
const bare = (name: string): string => name.toUpperCase().split('_').join('').replace(/S$/, '');
