import type { Settings } from '../config/env.js';
import type { Command } from './command.js';
import { checkConfiguration } from './doctor/configuration.check.js';
import { checkDatabase } from './doctor/database.check.js';
import type { Finding } from './doctor/finding.js';
import { checkPort } from './doctor/port.check.js';
import { withEnvironment } from './target.js';

export const DOCTOR: Command = {
  name: 'doctor',
  usage: '',
  summary:
    'Look at the settings, the secret, the database (reachable, version, encoding, clock, schema), the origins of ' +
    'CORS and the port, and say how to mend what is wrong. The exit code is 1 when something is.',
  async run({ target, io }) {
    const findings = await withEnvironment(target, io, async (env) => {
      const { settings, findings: first } = checkConfiguration(env);
      return [...first, ...(settings === undefined ? [] : await examine(settings))];
    });
    for (const { ok, subject, text } of findings)
      io.out(`${ok ? 'ok   ' : 'WRONG'}  ${subject.padEnd(9)}  ${text}`);
    const wrong = findings.filter(({ ok }) => !ok).length;
    io.out(wrong === 0 ? 'Everything is in order' : `To mend: ${wrong}`);
    return wrong === 0 ? 0 : 1;
  },
};

async function examine(settings: Settings): Promise<Finding[]> {
  return [...(await checkDatabase(settings.database)), await checkPort(settings)];
}
