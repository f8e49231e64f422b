import { setTimeout as sleep } from 'node:timers/promises';
import type { Cleanup } from '../../../bench/cleanup.js';
import { progress } from '../../../bench/command.js';
import { freePort } from '../../../bench/launch.js';
import { runCriteria, type Tell } from '../../faults/support/command.js';
import { Caller } from '../../faults/support/http.js';
import { Ledger } from '../../faults/support/ledger.js';
import { Load } from '../../faults/support/load.js';
import { Rig } from '../../faults/support/rig.js';
import { Commands } from '../../support/commands.js';
import { databaseFaults, type Fault, instanceFaults, judge, surroundingFaults } from './alerts.js';
import { configurationCriteria, metricsCriterion, rulesCriterion, scrapesCriterion } from './checks.js';
import { PACE } from './configuration.js';
import { dashboardCriteria } from './dashboards.js';
import { Databases } from './databases.js';
import { Instance } from './instance.js';
import { installPrograms } from './programs.js';
import { renewalCriteria } from './renewals.js';
import { METRICS_TOKEN, Stage } from './stage.js';

const RATE = { writes: 15, reads: 25 };
const ENV = { METRICS_TOKEN };

async function observe(cleanup: Cleanup, tell: Tell): Promise<void> {
  const commands = new Commands(cleanup);
  await installPrograms(commands);
  const rig = new Rig(cleanup);
  progress('starting everything');
  const databases = await Databases.start(cleanup);
  const way = await databases.way(cleanup, 'primary');
  const direct = await databases.way(cleanup, 'primary');
  const busy = new Instance(rig, way.url, await freePort());
  const quiet = new Instance(rig, direct.url, await freePort());
  const stage = await Stage.set(rig.folder, databases, cleanup);
  tell(await configurationCriteria(commands, stage));
  await Promise.all([busy.start(ENV), quiet.start(ENV)]);
  stage.watch(busy, quiet);
  const load = new Load(new Caller(busy.url), await rig.owners(busy.url), new Ledger(), RATE).start();
  cleanup.defer(() => load.stop());
  await sleep(10_000);
  const start = Date.now() / 1000;
  tell([await metricsCriterion(busy.url, METRICS_TOKEN), await rulesCriterion(stage.api)]);
  const inTurn = async (faults: readonly Fault[]): Promise<void> => {
    for (const fault of faults) tell(await judge(fault, stage.webhook));
  };
  await Promise.all([
    inTurn(databaseFaults(databases, way.proxy, busy)),
    inTurn(instanceFaults(quiet)),
    inTurn(surroundingFaults(stage, databases)),
  ]);
  const all = 'no scrape under METRICS_TOKEN fails, with the database away or locked';
  tell([await scrapesCriterion(all, stage.api, busy.name, Date.now() / 1000 - start)]);
  tell(await dashboardCriteria(stage.api, start));
  await load.stop();
  stage.watch(busy);
  await quiet.stop();
  tell(await renewalCriteria(stage, busy, way.url, cleanup));
}

await runCriteria({
  call: 'npm run test:observability',
  about:
    'Starts Prometheus, Alertmanager, the blackbox and PostgreSQL exporters and a webhook with the configuration of ' +
    `deploy/prometheus, in which every duration is divided by ${PACE}, makes each fault that there is an alert for, and ` +
    'asks every query of deploy/grafana. Needs root, and Debian’s packages, which it installs. About ten minutes.',
  options: {},
  run: (_, cleanup, tell) => observe(cleanup, tell),
});
