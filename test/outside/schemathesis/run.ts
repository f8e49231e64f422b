import { randomInt } from 'node:crypto';
import { join, resolve } from 'node:path';
import { print } from '../../../bench/command.js';
import { flag, text, wholeNumberReader } from '../../../bench/options.js';
import type { Criterion } from '../../faults/protocol.js';
import { runCriteria } from '../../faults/support/command.js';
import { criterion, serviceIsWell } from '../../faults/support/criteria.js';
import { count } from '../../faults/support/figures.js';
import { Rig } from '../../faults/support/rig.js';
import { makeAccounts } from './accounts.js';
import { type Answers, countedAnswers } from './metrics.js';
import { pythonWith } from '../../support/python.js';
import { CACHE, REQUIREMENTS, type Runs, runSchemathesis } from './schemathesis.js';

/** Longer than anybody waits. */
const TOKENS_LIVE_FOR = '24h';
const EXAMPLES = 60;
const SHORT = 10;

type Chance = Pick<Runs, 'examples' | 'seed'>;

async function examine(python: string, rig: Rig, options: Chance, folder: string): Promise<Criterion[]> {
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
  const measured = `${count(failed)} of ${count(all)}, as the service counts`;
  return criterion('no answer of 5xx', failed === 0, measured);
}

await runCriteria({
  call: 'npm run fuzz:schemathesis',
  about:
    'Lets Schemathesis judge the service by its API document, as a USER and as an ADMIN: it sends what openapi.json ' +
    'allows and what it forbids, follows its links, and fails when an answer is not what the document says. Takes two ' +
    'to three minutes. Python 3.11 or newer has to be there; what else is needed is installed into ' +
    'node_modules/.cache.',
  options: {
    short: flag('fewer test cases: two to four minutes'),
    examples: {
      argument: 'N',
      about: `test cases per operation, beside those that do not depend on chance (${EXAMPLES})`,
      read: (value: string | undefined, name: string) =>
        value === undefined ? undefined : wholeNumberReader(EXAMPLES)(value, name),
    },
    seed: {
      argument: 'N',
      about: 'of what depends on chance (1), or "random"',
      read: (value: string | undefined, name: string) =>
        value === 'random' ? randomInt(2 ** 31) : wholeNumberReader(1, 0)(value, name),
    },
    report: text('DIR', 'where the reports go (node_modules/.cache/schemathesis/report)'),
  },
  example: '--examples 500 --seed random',
  async run({ short, examples = short ? SHORT : EXAMPLES, seed, report }, cleanup, tell) {
    const folder = resolve(report ?? join(CACHE, 'report'));
    const python = pythonWith(REQUIREMENTS, CACHE, print);
    tell(await examine(python, new Rig(cleanup), { examples, seed }, folder));
    print(`seed ${seed}; ${folder}\n`);
  },
});
