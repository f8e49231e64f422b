import { MIGRATIONS } from '../../../migrations/all.js';
import { closeSchema, waitingFor } from '../cluster/empty-database.js';
import type { Criterion } from '../../faults/protocol.js';
import { criterion } from '../../faults/support/criteria.js';
import { count, tally } from '../../faults/support/figures.js';
import { type Reply, succeeded, withCaller } from '../../faults/support/http.js';
import type { Service } from '../../faults/support/service.js';
import { requests, type Setting } from './cases.js';
import { startPgBouncer } from './pgbouncer.js';

const INSTANCES = ['one', 'two'];

/** Two processes at a time, on an empty database each time, which both are about to migrate at the same moment. */
export async function startedTogether({ rig, starts, ...setting }: Setting): Promise<Criterion[]> {
  const { cluster, pgbouncer, mode } = setting;
  const url = new URL(await startPgBouncer(rig, pgbouncer, setting));
  const faults: string[] = [];
  let right = 0;
  for (let start = 0; start < starts; start++) {
    const name = `together_${start}`;
    await cluster.sql(`CREATE DATABASE ${name} OWNER ${url.username} TEMPLATE template0`);
    url.pathname = name;
    const found = await startBoth({ rig, cluster, mode }, url.href, name);
    // PgBouncer keeps its connections for ten minutes: twenty databases would need more than PostgreSQL has.
    await cluster.sql(`DROP DATABASE ${name} WITH (FORCE)`);
    if (found.length === 0) right++;
    faults.push(...found);
  }
  const measured = `${count(right)} of ${count(starts)}${faults.length > 0 ? `: ${tally(faults)}` : ''}`;
  return [criterion('two that start together apply each migration once', right === starts, measured)];
}

/** Two instances, and exactly the connections that they hold: one for requests and one for health, each. */
export async function oneConnection({ rig, ...setting }: Setting): Promise<Criterion[]> {
  const databaseUrl = await startPgBouncer(rig, setting.pgbouncer, {
    ...setting,
    poolSize: 2 * INSTANCES.length,
  });
  const env = { DB_POOLER: setting.mode, DB_POOL_SIZE: '1' };
  const services = INSTANCES.map((name) => rig.launch({ databaseUrl, env, name: `one-connection-${name}` }));
  await Promise.all(services.map((service) => service.ready()));
  const replies: Reply[] = [];
  for (const { url } of services) {
    const owners = await rig.owners(url, 1);
    await withCaller(url, async (caller) => {
      replies.push(...(await requests(caller, owners, { exports: false })));
      replies.push(await caller.get('/actuator/health/readiness'));
    });
  }
  const failed = replies.filter((reply) => !succeeded(reply));
  const faults = [...failed.map(({ status }) => String(status)), ...services.flatMap(complaintsOf)];
  await Promise.all(services.map((service) => service.stop()));
  const measured = `${count(failed.length)} of ${count(replies.length)} failed ${tally(faults)}`;
  return [criterion('two instances serve with DB_POOL_SIZE=1', faults.length === 0, measured)];
}

/** What was wrong. */
async function startBoth(
  { rig, cluster, mode }: Pick<Setting, 'rig' | 'cluster' | 'mode'>,
  databaseUrl: string,
  name: string,
): Promise<string[]> {
  const open = await closeSchema(cluster, name);
  const services = INSTANCES.map((instance) =>
    rig.launch({ databaseUrl, env: { DB_POOLER: mode }, name: `${name}-${instance}` }),
  );
  const waiting = await waitingFor(cluster, services.length, name).finally(open);
  try {
    await Promise.all(services.map((service) => service.ready()));
    const applied = services.flatMap(({ lines }) => lines.flatMap(({ migration }) => migration ?? []));
    return [
      ...(waiting === services.length ? [] : [`${waiting} about to migrate`]),
      ...(applied.length === MIGRATIONS.length && new Set(applied).size === applied.length
        ? []
        : [`${applied.length} applied`]),
      ...services.flatMap(complaintsOf),
    ];
  } finally {
    await Promise.all(services.map((service) => service.stop()));
  }
}

function complaintsOf({ lines, strayLines }: Service): string[] {
  const told = lines.filter(({ level }) => level !== 'info');
  return [...told.map(({ msg = '' }) => msg), ...strayLines];
}
