import type { Settings } from '../config/env.js';
import type { Command, Invocation } from './command.js';
import { checkConfiguration, checkNames } from './doctor/configuration.check.js';
import { checkDatabase } from './doctor/database.check.js';
import type { Finding } from './doctor/finding.js';
import { checkDisk, checkPrograms, checkThreads } from './doctor/machine.check.js';
import { checkPort } from './doctor/port.check.js';
import { hasFailed, report, reportAsJson } from './doctor/report.js';
import { FAILED } from './exit-codes.js';
import { withEnvironment } from './target.js';

export const DOCTOR: Command = {
  name: 'doctor',
  usage: '[--json]',
  summary:
    'Look at Node and the build, the settings (also for misspelt names), the secret, the database (reachable, version, ' +
    'encoding, connections, clock, schema, rights), the port, the disk and the threads, and say how to mend what is ' +
    'wrong. The exit code is 1 when something is; a warning leaves it at 0. Changes nothing.',
  example: 'doctor',
  details: { '--json': 'for programs: {"ok": …, "findings": [{"mark", "subject", "text", "remedy"}]}' },
  options: { json: { type: 'boolean' } },
  async run(invocation) {
    const { target, io, flag } = invocation;
    const findings = await withEnvironment(target, io, async (env) => {
      const programs = checkPrograms(env, invocation.isBuilt);
      const { settings, findings: first } = checkConfiguration(env);
      const rest = settings === undefined ? [] : await examine(settings, invocation);
      return [...programs, ...first, ...checkNames(target.env), ...rest];
    });
    if (flag('json')) reportAsJson(findings, io);
    else report(findings, io);
    return hasFailed(findings) ? FAILED : 0;
  },
};

async function examine(settings: Settings, { target, io }: Invocation): Promise<Finding[]> {
  io.status('Asking the database …');
  return [
    ...(await checkDatabase(settings.database)),
    await checkPort(settings),
    await checkDisk(target.isQuickstart ? target.dataFolder : '.'),
    checkThreads(settings),
  ];
}
