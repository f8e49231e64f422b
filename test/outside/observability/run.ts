import { setTimeout as sleep } from 'node:timers/promises';
import { Missing } from '../../../bench/command.js';
import { freePort } from '../../../bench/launch.js';
import type { Criterion } from '../../faults/protocol.js';
import { newOwners } from '../../faults/support/accounts.js';
import { runCriteria } from '../../faults/support/command.js';
import { criterion } from '../../faults/support/criteria.js';
import { withCaller } from '../../faults/support/http.js';
import { Load } from '../../faults/support/load.js';
import { Rig } from '../../faults/support/rig.js';
import { openConnection } from '../../support/connect.js';
import { PROMETHEUS } from '../../support/monitoring.js';
import { PostgresServer } from '../../support/postgres-server.js';
import { requirePrograms, run } from '../support/commands.js';
import { Data, metricsCriterion } from './checks.js';
import { METRICS_TOKEN, PACE, setStage, type Webhook } from './stage.js';

const PACKAGES = ['', '-alertmanager', '-blackbox-exporter', '-postgres-exporter'].map(
  (name) => `prometheus${name}`,
);
const RATE = { writes: 15, reads: 25 };
/** Seconds. */
const TOLD_WITHIN = 240;

/** The alerts of a locked table. */
const ALERTS = ['ErrorRate', 'Slow', 'PoolExhausted', 'PoolSlow'].map((name) => `PropertyFinance${name}`);

/** Whether the alerts reach the webhook while a table is locked, and end afterwards. */
async function locked(primary: PostgresServer, webhook: Webhook, instance: string): Promise<Criterion[]> {
  const told = (firing: boolean): Promise<number[]> =>
    Promise.all(ALERTS.map((alert) => webhook.told(firing, alert, instance, TOLD_WITHIN)));
  const client = await openConnection(primary.adminUrl);
  await client.query('BEGIN; LOCK TABLE transactions');
  const fired = await told(true);
  await client.end();
  const cleared = await told(false);
  return ALERTS.map((alert, index) => {
    const [on = NaN, off = NaN] = [fired[index], cleared[index]];
    const times = `after ${on.toFixed(0)} s, for another ${off.toFixed(0)} s`;
    return criterion(`${alert} reaches the webhook`, Number.isFinite(on + off), times);
  });
}

await runCriteria({
  call: 'npm run test:observability',
  about:
    'Starts Prometheus, Alertmanager, the blackbox and PostgreSQL exporters and a webhook with the files of ' +
    `deploy/prometheus, with every duration divided by ${PACE}, and runs promtool’s tests of the alerts. Then it locks a ` +
    'table, which the webhook must hear, and asks every query of the alerts and of deploy/grafana. Needs root, and these ' +
    `packages of Debian: ${PACKAGES.join(', ')}`,
  async run(_, cleanup, tell) {
    if (process.getuid?.() !== 0)
      throw new Missing('Run this as root: programs are started as the user prometheus.');
    requirePrograms([...PACKAGES, 'promtool'], `On Debian and Ubuntu: ${PACKAGES.join(' ')}`);
    const rig = new Rig(cleanup);
    const primary = await PostgresServer.start();
    cleanup.defer(() => primary.remove());
    await primary.sql(`CREATE ROLE prometheus LOGIN IN ROLE pg_monitor`);
    const standby = await primary.follower('replica');
    cleanup.defer(() => standby.remove());
    const port = await freePort();
    const instance = `127.0.0.1:${port}`;
    const { url } = await rig.launch({ databaseUrl: primary.url, env: { METRICS_TOKEN } }, port).ready();
    const stage = await setStage(rig, [primary, standby], instance);
    await run('promtool', ['test', 'rules', 'rules.test.yml'], { cwd: PROMETHEUS });
    new Load(rig, url, await newOwners(url), RATE).start();
    await sleep(10_000);
    const data = new Data(stage.prometheus, Date.now() / 1000);
    const guess = { username: 'nobody', password: 'a wrong one' };
    await withCaller(url, (caller) => caller.post('/api/auth/signin', guess));
    tell([await metricsCriterion(instance)]);
    tell(await locked(primary, stage.webhook, instance));
    tell(await data.alertCriteria(instance));
    tell(await data.dashboardCriteria());
  },
});
