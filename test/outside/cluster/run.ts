import { flag } from '../../../bench/options.js';
import type { Criterion } from '../../faults/protocol.js';
import { runCriteria, type Tell } from '../../faults/support/command.js';
import type { Cluster as Database } from '../../faults/support/cluster.js';
import { type Rig, withRig } from '../../faults/support/rig.js';
import { startHaproxy, WITHOUT_RETRIES } from '../proxy/proxies.js';
import { Changes } from './accounts.js';
import { migrateTogether } from './empty-database.js';
import { type Cluster, killed, rollingRestart, stopped } from './episodes.js';
import { Traffic } from './traffic.js';

const ROUNDS = 5;
/** Longer than HAProxy takes to notice. */
const SHORT_DELAY = '3s';

interface Variant {
  readonly title: string;
  readonly retries: boolean;
}

const WITH: Variant = { title: 'with retries', retries: true };
const WITHOUT: Variant = { title: 'without retries', retries: false };

async function cluster(rig: Rig, { title, retries }: Variant, short: boolean, tell: Tell): Promise<void> {
  const database = await rig.cluster();
  const env: Record<string, string> = short ? { SHUTDOWN_DELAY: SHORT_DELAY } : {};
  // Blank is the default, as against that of the rig.
  const [instances, migrated] = await migrateTogether(rig, database, { SHUTDOWN_DELAY: '', ...env });
  const proxy = await startHaproxy(rig, instances.ports, retries ? [] : WITHOUT_RETRIES);
  const traffic = new Traffic(proxy, await rig.owners(instances.at(0).url), database.sql);
  const setup: Cluster = { instances, proxy, traffic, retries };
  const parts: readonly [name: string, run: () => Promise<Criterion[]>][] = [
    ['empty database', () => Promise.resolve(migrated)],
    ['accounts', () => accounts(setup, database)],
    ['one killed', () => killed(setup)],
    ['one stopped', () => stopped(setup)],
    ['rolling restart', () => rollingRestart(setup)],
  ];
  for (const [name, run] of parts) tell(await run(), `${name}, ${title}`);
}

async function accounts({ instances, traffic }: Cluster, { url }: Database): Promise<Criterion[]> {
  return traffic.during(
    () => new Changes(instances, url).run(ROUNDS),
    (criteria) => criteria,
  );
}

await runCriteria({
  call: 'npm run test:cluster',
  about:
    'Three instances behind HAProxy, as deploy/proxy has it, at 200 requests a second, reads and writes: they migrate an ' +
    'empty database together, accounts change, one is killed, one is stopped, and all are restarted one after the other; ' +
    'first with retries in the balancer, then without. After each the rows, totals and versions are held against what ' +
    'clients were told. Takes three minutes. HAProxy has to be installed.',
  options: { short: flag('only with retries, with shorter stops: one minute') },
  example: '--short',
  async run({ short }, atTheEnd, tell) {
    for (const variant of short ? [WITH] : [WITH, WITHOUT])
      await withRig(atTheEnd, (rig) => cluster(rig, variant, short, tell));
  },
});
