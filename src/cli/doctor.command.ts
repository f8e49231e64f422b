import { type Command, InvalidArgumentError } from 'commander';
import type { Settings } from '../config/env.js';
import { checkConfiguration, checkNames } from './doctor/configuration.check.js';
import { checkDatabase } from './doctor/database.check.js';
import type { Finding } from './doctor/finding.js';
import { checkDisk, checkPrograms } from './doctor/machine.check.js';
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
        'encoding, a pooler before it, connections, clock, schema, rights), the port and who answers on it, and the disk, and say how to mend what is ' +
        'wrong. The exit code is 1 when something is; a warning leaves it at 0. Changes nothing.',
    )
    .option('--instances <N>', 'how many instances of the service there will be, for the connections', count)
    .option('--json', 'for programs: {"ok": …, "findings": [{"mark", "subject", "text", "remedy"}]}')
    .addHelpText('after', example('doctor'))
    .action((options: Options) => diagnose(session, options));
}

interface Options {
  readonly instances?: number;
  readonly json?: boolean;
}

function count(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new InvalidArgumentError('It takes a number from 1 to 9999.');
  return Number(text);
}

async function diagnose(session: Session, { instances, json = false }: Options): Promise<void> {
  const { target, io } = session;
  const findings = await withEnvironment(target, io, async (env) => {
    const programs = checkPrograms(env, session.isBuilt);
    const { settings, hasSecret, findings: first } = checkConfiguration(env);
    const rest = settings === undefined ? [] : await examine(session, { settings, hasSecret, instances });
    return [...programs, ...first, ...checkNames(target.env), ...rest];
  });
  if (json) reportAsJson(findings, io);
  else report(findings, io);
  if (hasFailed(findings)) session.exitCode = FAILED;
}

interface Examined {
  readonly settings: Settings;
  readonly hasSecret: boolean;
  readonly instances: number | undefined;
}

async function examine(
  { target, io }: Session,
  { settings, hasSecret, instances }: Examined,
): Promise<Finding[]> {
  io.status('Asking the database …');
  return [
    ...(await checkDatabase(settings.database, instances)),
    await checkPort(settings, hasSecret),
    await checkDisk(target.isQuickstart ? target.dataFolder : '.'),
  ];
}
