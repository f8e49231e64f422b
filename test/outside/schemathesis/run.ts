import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { wholeNumber } from '../../../bench/options.js';
import type { Criterion } from '../../faults/protocol.js';
import { newAccount } from '../../faults/support/accounts.js';
import type { Cluster } from '../../faults/support/cluster.js';
import { runCriteria } from '../../faults/support/command.js';
import { criterion, none, serviceIsWell } from '../../faults/support/criteria.js';
import { Rig } from '../../faults/support/rig.js';
import { Program } from '../../support/program.js';
import { pythonPrograms } from '../support/python.js';

const HERE = resolve('test/outside/schemathesis');
const ACCOUNTS = 'accounts.json';
/** To the service, the row of such an account is gone already: the ADMIN's random DELETEs must not end the run. */
const keepAccounts = (last: string): string =>
  `CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
  CREATE TRIGGER keep BEFORE DELETE ON users FOR EACH ROW WHEN (OLD.id <= ${last}) EXECUTE FUNCTION keep()`;

/** The part of Schemathesis's own report that is read. */
interface Report {
  readonly complete: boolean;
  readonly operations: { readonly total: number; readonly tested: number };
  readonly test_cases: { readonly generated: number; readonly errored: number };
  readonly failures: readonly { readonly title: string; readonly count: number }[];
}

/** Makes the two peers of schemathesis.toml and the ADMIN, and writes the file of their tokens. */
async function makeAccounts(url: string, { sql }: Cluster, file: string): Promise<void> {
  const auth = [];
  for (const name of ['owner', 'neighbour', 'admin']) {
    const { id, token } = await newAccount(url);
    auth.push({ name, fixedHeaders: [{ name: 'Authorization', value: `Bearer ${token}` }] });
    if (name !== 'admin') continue;
    await sql(`UPDATE users SET role = 'ADMIN' WHERE id = $1`, [id]);
    await sql(keepAccounts(id));
  }
  writeFileSync(file, JSON.stringify({ auth }));
}

/** Runs Schemathesis as one of the accounts; its findings go to the terminal. */
async function runAs(account: string, rig: Rig, command: readonly string[]): Promise<Criterion[]> {
  const file = join(rig.folder, `${account}.json`);
  const further = ['--auth-wfc-user', account, '--report-json-path', file];
  const { exited } = new Program(rig, [...command, ...further], {
    cwd: rig.folder, // where it finds no other configuration
    stdio: ['ignore', 'inherit', 'inherit'],
    signals: ['SIGTERM'],
    env: { ...process.env, HOOKS: join(HERE, 'hooks.py'), ACCOUNTS: join(rig.folder, ACCOUNTS) },
  });
  const status = await exited;
  if (!existsSync(file)) throw new Error(`Schemathesis ended with ${String(status)}, without a report`);
  const report = JSON.parse(readFileSync(file, 'utf8')) as Report;
  const { complete, operations, test_cases: cases, failures } = report;
  const findings = failures.map(({ title, count }) => `${count} × ${title}`);
  if (status !== 0 && findings.length === 0) findings.push(`exit code ${String(status)}`);
  const isWhole = complete && operations.tested === operations.total && cases.errored === 0;
  const tested = `${operations.tested} of ${operations.total}, ${cases.generated} cases`;
  return [
    criterion(`as ${account}: every operation is tested, and every case sent`, isWhole, tested),
    none(`finding as ${account}`, findings),
  ];
}

await runCriteria({
  call: 'npm run fuzz:schemathesis',
  about:
    'Runs all checks of Schemathesis on every operation of openapi.json, as a USER and as an ADMIN, with requests that ' +
    'the document allows and others that it forbids, and along its links. Needs Python 3.11; PyPI has the rest.',
  options: {
    examples: wholeNumber('random test cases per operation', 60),
    seed: wholeNumber('of the random test cases', 1, 0),
  },
  example: '--examples 500 --seed 7',
  async run({ examples, seed }, cleanup, tell) {
    const python = join(await pythonPrograms(), 'python');
    const rig = new Rig(cleanup);
    const cluster = await rig.cluster();
    const service = await rig.launch({ databaseUrl: cluster.url }).ready();
    await makeAccounts(service.url, cluster, join(rig.folder, ACCOUNTS));
    const command = [
      ...[python, '-m', 'schemathesis.cli', '--config-file', join(HERE, 'schemathesis.toml')],
      ...['run', resolve('openapi.json'), '--url', service.url],
      ...['--max-examples', String(examples), '--seed', String(seed)],
    ];
    for (const account of ['owner', 'admin']) tell(await runAs(account, rig, command));
    tell(serviceIsWell(service));
  },
});
