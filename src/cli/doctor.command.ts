import { type Command, InvalidArgumentError } from 'commander';
import type { Environment } from '../config/variables.js';
import { checkDatabase } from './doctor/database.js';
import { checkPort, findListener } from './doctor/port.js';
import { type Finding, report } from './doctor/report.js';
import { checkNames, checkSettings } from './doctor/settings.js';
import { FAILED } from './failures.js';
import { example } from './help.js';
import { type Session, withEnvironment } from './target.js';

interface Options {
  readonly instances?: number;
  readonly json?: boolean;
}

export function addDoctor(program: Command, session: Session): void {
  program
    .command('doctor')
    .description(
      'Examine the settings (also for misspelt names), the secret, the database (reachable, version, encoding, locale, ' +
        'a pooler, connections, schema, rights) and the port, and say how to mend each fault. The exit code is 1 when ' +
        'there is one; a warning leaves it at 0. Changes nothing.',
    )
    .option('--instances <N>', 'how many instances of the service there will be, for the connections', count)
    .option('--json', 'for programs: {"ok": …, "findings": [{"mark", "subject", "text", "remedy"}]}')
    .addHelpText('after', example('doctor'))
    .action((options: Options) => diagnose(session, options));
}

function count(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new InvalidArgumentError('It takes a number from 1 to 9999.');
  return Number(text);
}

async function diagnose(session: Session, { instances, json = false }: Options): Promise<void> {
  const { target, io } = session;
  const found = await withEnvironment(target, io, (env) => examine(env, instances));
  const findings = [...found, ...checkNames(target.env)];
  const ok = findings.every(({ mark }) => mark !== 'fail');
  if (json) io.out(JSON.stringify({ ok, findings }, null, 2));
  else report(findings, io);
  if (!ok) session.exitCode = FAILED;
}

async function examine(env: Environment, instances: number | undefined): Promise<Finding[]> {
  const { findings, settings } = checkSettings(env);
  if (settings === undefined) return findings;
  const listener = await findListener(settings); // its readiness check connects to its database
  const database = await checkDatabase(settings.database, instances);
  return [...findings, ...database.findings, ...checkPort(settings, listener, database.isServed)];
}
