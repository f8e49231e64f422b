import { randomBytes } from 'node:crypto';
import { ConfigurationError, loadSettings, type Settings } from '../../config/env.js';
import type { Environment } from '../../quickstart-data.js';
import { type Finding, right, wrong } from './finding.js';

/** Every fault of the settings; and the settings, with what is faulty left out, to look further with. */
export function checkConfiguration(env: Environment): {
  findings: Finding[];
  settings: Settings | undefined;
} {
  try {
    const settings = loadSettings({ ...env });
    return { settings, findings: [right('settings', 'all readable'), ...remarks(settings)] };
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const settings = readLeniently(env, error.faults);
    const findings = error.faults.map((fault) => wrong(subjectOf(fault), fault));
    if (settings === undefined)
      findings.push(wrong('database', 'not looked at, for its address is not known'));
    return { findings, settings };
  }
}

function remarks({ corsAllowedOrigins: origins }: Settings): Finding[] {
  const cors = origins.length > 0 ? origins.join(', ') : 'none: web pages of other origins may not call';
  return [right('secret', 'long enough'), right('CORS', cors)];
}

/** Each fault begins with the name of its variable. */
function subjectOf(fault: string): string {
  if (fault.startsWith('JWT_SECRET')) return 'secret';
  return fault.startsWith('CORS') ? 'CORS' : 'settings';
}

function readLeniently(env: Environment, faults: readonly string[]): Settings | undefined {
  const faulty = faults.map((fault) => fault.split(' ', 1)[0]);
  const rest = Object.entries(env).filter(([name]) => !faulty.includes(name));
  const substitute = faulty.includes('JWT_SECRET') ? { JWT_SECRET: randomBytes(32).toString('hex') } : {};
  try {
    return loadSettings({ ...Object.fromEntries(rest), ...substitute });
  } catch {
    return undefined;
  }
}
