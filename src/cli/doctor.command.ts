import type { Command } from 'commander';
import type { Settings } from '../config/env.js';
import { checkConfiguration, checkNames } from './doctor/configuration.check.js';
import { checkDatabase } from './doctor/database.check.js';
import type { Finding } from './doctor/finding.js';
import { checkDisk, checkPrograms, checkThreads } from './doctor/machine.check.js';
import { checkPort } from './doctor/port.check.js';
import { hasFailed, report, reportAsJson } from './doctor/report.js';
import { FAILED } from './exit-codes.js';
import { example } from './help.js';
import type { Session } from './session.js';
import { withEnvironment } from './target.js';

export function addDoctor(program: Command, session: Session): void {
  program
    .command('doctor')
    .description(
      'Look at Node and the build, the settings (also for misspelt names), the secret, the database (reachable, version, ' +
        'encoding, connections, clock, schema, rights), the port, the disk and the threads, and say how to mend what is ' +
        'wrong. The exit code is 1 when something is; a warning leaves it at 0. Changes nothing.',
    )
    .option('--json', 'for programs: {"ok": …, "findings": [{"mark", "subject", "text", "remedy"}]}')
    .addHelpText('after', example('doctor'))
    .action(({ json = false }: { json?: boolean }) => diagnose(session, json));
}

async function diagnose(session: Session, json: boolean): Promise<void> {
  const { target, io } = session;
  const findings = await withEnvironment(target, io, async (env) => {
    const programs = checkPrograms(env, session.isBuilt);
    const { settings, findings: first } = checkConfiguration(env);
    const rest = settings === undefined ? [] : await examine(settings, session);
    return [...programs, ...first, ...checkNames(target.env), ...rest];
  });
  if (json) reportAsJson(findings, io);
  else report(findings, io);
  if (hasFailed(findings)) session.exitCode = FAILED;
}

async function examine(settings: Settings, { target, io }: Session): Promise<Finding[]> {
  io.status('Asking the database …');
  return [
    ...(await checkDatabase(settings.database)),
    await checkPort(settings),
    await checkDisk(target.isQuickstart ? target.dataFolder : '.'),
    checkThreads(settings),
  ];
}
