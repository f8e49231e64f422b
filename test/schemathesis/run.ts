import { join, resolve } from 'node:path';
import { Cleanup } from '../../bench/cleanup.js';
import { UsageError } from '../faults/options.js';
import type { Criterion } from '../faults/protocol.js';
import { criterionLine } from '../faults/report.js';
import { criterion, serviceIsWell } from '../faults/support/criteria.js';
import { count } from '../faults/support/figures.js';
import { Rig } from '../faults/support/rig.js';
import { makeAccounts } from './accounts.js';
import { type Answers, countedAnswers } from './metrics.js';
import { HELP, type Options, readOptions } from './options.js';
import { Missing, pythonWith } from './python.js';
import { CACHE, REQUIREMENTS, type Runs, runSchemathesis } from './schemathesis.js';

/** Longer than anybody waits. */
const TOKENS_LIVE_FOR = '24h';

const cleanup = new Cleanup();

function print(text: string): void {
  process.stdout.write(text);
}

/** The exit status: 0 when every criterion is met. */
async function main(args: string[]): Promise<number> {
  const options = readOptions(args);
  if (options === undefined) {
    print(HELP);
    return 0;
  }
  const folder = resolve(options.report ?? join(CACHE, 'report'));
  const criteria = await examine(pythonWith(REQUIREMENTS, CACHE, print), options, folder);
  print('\n');
  for (const one of criteria) print(criterionLine(one));
  const missed = criteria.filter(({ passed }) => !passed).length;
  print(
    `\n${criteria.length - missed} of ${criteria.length} criteria met; seed ${options.seed}; ${folder}\n`,
  );
  return missed === 0 ? 0 : 1;
}

async function examine(python: string, options: Options, folder: string): Promise<Criterion[]> {
  const rig = new Rig(cleanup, process.env);
  const cluster = await rig.cluster();
  const env = { JWT_EXPIRATION: TOKENS_LIVE_FOR };
  const service = await rig.launch({ databaseUrl: cluster.url, env }).ready();
  const accounts = await makeAccounts(service.url, cluster, rig.folder);
  const runs: Runs = {
    ...options,
    python,
    environment: process.env,
    url: service.url,
    accountsFile: accounts.file,
    folder,
  };
  const answers = async (): Promise<Answers> => countedAnswers(service.url, accounts.adminToken);
  const before = await answers();
  return [
    ...(await runSchemathesis(rig, 'owner', runs)),
    ...(await runSchemathesis(rig, 'admin', runs)),
    noServerErrors(before, await answers()),
    ...serviceIsWell(service),
  ];
}

function noServerErrors(before: Answers, after: Answers): Criterion {
  const failed = after.serverErrors - before.serverErrors;
  const all = after.all - before.all;
  return criterion(
    'no answer of 5xx',
    failed === 0,
    `${count(failed)} of ${count(all)}, as the service counts`,
  );
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    void cleanup.run().finally(() => process.exit(130));
  });
}
try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  const isUsage = error instanceof UsageError;
  process.exitCode = isUsage ? 2 : 1;
  if (isUsage) process.stderr.write(`${error.message}\n"npm run fuzz:schemathesis -- --help" says more.\n`);
  else if (error instanceof Missing) process.stderr.write(`${error.message}\n`);
  else if (!cleanup.begun) process.stderr.write(`${(error as Error).stack}\n`);
} finally {
  await cleanup.run();
}
