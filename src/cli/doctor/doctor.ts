import type { Command } from 'commander';
import type { Settings } from '../../config/env.js';
import { localUrl, portError, portRemedy } from '../../config/process.js';
import { FAILED } from '../failures.js';
import { type Io, matching } from '../io.js';
import { environmentOf, type Session } from '../session.js';
import { checkDatabase } from './database.js';
import { type Finding, findingsOf } from './findings.js';
import { checkNames, checkSettings } from './settings.js';

type Options = Readonly<{ instances?: string; json?: boolean }>;

const count = matching(/^[1-9]\d{0,3}$/, 'It must be a number from 1 to 9999.');

export function addDoctor(program: Command, session: Session): void {
  program
    .command('doctor')
    .description(
      'Examine the settings (also for misspelt names), the secret, the database (reachable, version, encoding, locale, ' +
        'a pooler, connections, schema, rights) and the port, and name the remedy of each fault. The exit code is 1 when ' +
        'there is one; a warning leaves it at 0. Changes nothing.',
    )
    .option('--instances <N>', 'how many instances of the service there will be, for the connections', count)
    .option('--json', 'for programs: {"ok": …, "findings": [{"status", "subject", "text", "remedy"}]}')
    .action((options: Options) => diagnose(session, options));
}

async function diagnose(session: Session, { instances = '1', json = false }: Options): Promise<void> {
  const { env, io } = session;
  const { findings, settings } = checkSettings(await environmentOf(session));
  if (settings !== undefined) {
    findings.push(...(await checkDatabase(settings.database, Number(instances))));
    findings.push(...(await checkPort(settings)));
  }
  findings.push(...checkNames(env));
  const ok = findings.every(({ status }) => status !== 'fail');
  if (json) io.out(JSON.stringify({ ok, findings }, null, 2));
  else report(findings, io);
  if (!ok) session.exitCode = FAILED;
}

function report(findings: readonly Finding[], { out }: Pick<Io, 'out'>): void {
  for (const { status, subject, text, remedy } of findings) {
    const word = status === 'fail' ? 'FAIL' : status;
    out(`${word.padEnd(6)}${subject.padEnd(13)}${text}`);
    if (remedy !== undefined) out(`${' '.repeat(6 + 13)}→ ${remedy}`);
  }
  const number = (wanted: string): number => findings.filter(({ status }) => status === wanted).length;
  const isFine = number('ok') === findings.length;
  out(isFine ? '\nEverything is in order.' : `\nFaults: ${number('fail')}, warnings: ${number('warn')}.`);
}

const RESPONSE_TIME = 5000;
const TOKEN_WANTED = 'urn:property-finance:problem:authentication-required';

/** Whether the port is free, or else held by a service like this one, which then has to be ready. */
async function checkPort({ host, port }: Settings): Promise<Finding[]> {
  const code = await portError(host, port);
  const get = (path: string): Promise<Response | undefined> => {
    const signal = AbortSignal.timeout(RESPONSE_TIME);
    return fetch(localUrl(host, port) + path, { redirect: 'error', signal }).catch(() => undefined);
  };
  const isTaken = code === 'EADDRINUSE';
  const refusal = isTaken ? await (await get('/api/users/me'))?.text().catch(() => '') : '';
  const isService = refusal?.includes(TOKEN_WANTED) === true;
  const isReady = isService && (await get('/actuator/health/readiness'))?.ok === true;
  const remedy = portRemedy(code ?? '', port);
  const here = `the service runs on ${port} already`;
  const unusable = `${port} on ${host} is taken by another program, or cannot be used (${code})`;
  return findingsOf('port', isService ? here : `${port} on ${host} is free`, [
    [isService && !isReady, 'warn', `${here}, but is not ready`, 'see its log'],
    [code !== undefined && !isService, 'fail', unusable, remedy],
  ]);
}
