import { setTimeout as sleep } from 'node:timers/promises';
import type { Tell } from '../../faults/support/command.js';
import { Ledger } from '../../faults/support/ledger.js';
import { serviceIsWell } from '../../faults/support/criteria.js';
import type { Rig } from '../../faults/support/rig.js';
import { AFTER, underLoad } from './episode.js';
import { Pair } from './pair.js';

/** Milliseconds. Whoever promotes the standby needs that long to notice. */
const NOTICED = 1000;
const PAUSE_BOUND = 3000;

/** The primary is killed, the standby promoted, and what was killed comes back as the standby; then the other way round. */
export async function thereAndBack(rig: Rig, tell: Tell): Promise<void> {
  const pair = await Pair.start(rig);
  const servers = [pair.primary, pair.standby];
  const service = await rig.launch({ databaseUrl: pair.url }).ready();
  const users = { service, owners: await rig.owners(service.url) };
  const ledger = new Ledger();
  for (const title of ['the first server is killed', 'the second server is killed'])
    tell(await underLoad(servers, users, ledger, { bound: PAUSE_BOUND, run: () => failover(pair) }), title);
  tell(serviceIsWell(service), 'the service');
}

async function failover(pair: Pair): Promise<Pair['primary']> {
  const killedAt = performance.now();
  await pair.killPrimary();
  await sleep(killedAt + NOTICED - performance.now());
  await pair.promote();
  await sleep(AFTER);
  await pair.rejoin();
  return pair.primary;
}
