import { join, resolve } from 'node:path';
import type { Cleanup } from '../../bench/cleanup.js';
import { runCommand } from '../../bench/command.js';
import type { Criterion } from '../faults/protocol.js';
import { criterionLine } from '../faults/report.js';
import { criterion, serviceIsWell } from '../faults/support/criteria.js';
import { count } from '../faults/support/figures.js';
import { Rig } from '../faults/support/rig.js';
import { makeAccounts } from './accounts.js';
import { type Answers, countedAnswers } from './metrics.js';
import { HELP, type Options, readOptions } from './options.js';
import { pythonWith } from './python.js';
import { CACHE, REQUIREMENTS, type Runs, runSchemathesis } from './schemathesis.js';

/** Longer than anybody waits. */
const TOKENS_LIVE_FOR = '24h';

function print(text: string): void {
  process.stdout.write(text);
}

/** The exit status: 0 when every criterion is met. */
async function main(args: string[], cleanup: Cleanup): Promise<number> {
  const options = readOptions(args);
  if (options === undefined) {
    print(HELP);
    return 0;
  }
  const folder = resolve(options.report ?? join(CACHE, 'report'));
  const python = pythonWith(REQUIREMENTS, CACHE, print);
  const criteria = await examine(python, new Rig(cleanup, process.env), options, folder);
  print('\n');
  for (const one of criteria) print(criterionLine(one));
  const missed = criteria.filter(({ passed }) => !passed).length;
  print(
    `\n${criteria.length - missed} of ${criteria.length} criteria met; seed ${options.seed}; ${folder}\n`,
  );
  return missed === 0 ? 0 : 1;
}

async function examine(python: string, rig: Rig, options: Options, folder: string): Promise<Criterion[]> {
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

await runCommand('npm run fuzz:schemathesis', main);
