import { setTimeout as sleep } from 'node:timers/promises';
import { progress } from '../../../bench/command.js';
import type { Tell } from '../../faults/support/command.js';
import { Ledger } from '../../faults/support/ledger.js';
import { serviceIsWell } from '../../faults/support/criteria.js';
import type { Rig } from '../../faults/support/rig.js';
import { AFTER, type Happening, underLoad } from './episode.js';
import { PASSWORD, Patroni, type PatroniServer } from './patroni.js';
import type { Programs } from './programs.js';

const RATE = { writes: 50, reads: 25 };
/** Milliseconds. The ttl of deploy/patroni/patroni.yml: for so long Patroni waits for a leader that says nothing. */
const TTL = 20_000;
/** For Patroni to have made sure, in a loop of 2 s, that the leader has ended, and that the standby has all it wrote. */
const STEPPING_DOWN = 3000;
/** For the standby to become the primary, and for HAProxy to find it. */
const PROMOTION = 3000;

/** The service behind HAProxy, while Patroni moves the leader. */
export async function switchedAndKilled(rig: Rig, programs: Programs, tell: Tell): Promise<void> {
  progress('starting etcd, Patroni and HAProxy');
  const patroni = await Patroni.start(rig, programs);
  const service = await rig.launch({ databaseUrl: patroni.url, env: { DB_PASSWORD: PASSWORD } }).ready();
  const users = { service, owners: await rig.owners(service.url), rate: RATE };
  const ledger = new Ledger();
  const during = async (title: string, happening: Happening): Promise<void> => {
    progress(title);
    tell(await underLoad(patroni.all, users, ledger, happening), title);
  };
  await during('the leader and the standby change their roles', {
    bound: STEPPING_DOWN + PROMOTION,
    run: () => switchover(patroni),
  });
  await during('the leader is killed', { bound: TTL + PROMOTION, run: () => loseTheLeader(patroni) });
  tell(serviceIsWell(service), 'the service');
}

async function switchover(patroni: Patroni): Promise<PatroniServer> {
  await patroni.switchover();
  await patroni.settled();
  return patroni.leader();
}

async function loseTheLeader(patroni: Patroni): Promise<PatroniServer> {
  const lost = await patroni.leader();
  lost.kill();
  const leader = await patroni.leaderInPlaceOf(lost);
  await sleep(AFTER);
  await lost.start();
  await patroni.settled();
  return leader;
}
