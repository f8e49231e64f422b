import type { Credentials } from '../../support/sign-up.js';
import type { Protocol } from '../protocol.js';
import {
  allSucceedFrom,
  criterion,
  p99IsBelow,
  readinessStaysUp,
  serviceIsWell,
} from '../support/criteria.js';
import { tally } from '../support/figures.js';
import { withCaller } from '../support/http.js';
import { settle } from '../support/rig.js';

const CONNECTIONS = 50;
const READ_P99 = 250;
const RATE = { writes: 20, reads: 50 };

export const SIGN_IN_FLOOD: Protocol = {
  name: 'sign-in-flood',
  title: `sign-ins on ${CONNECTIONS} connections, every other one with a wrong password`,
  async run(rig, { short }) {
    const scene = await rig.scene({ rate: RATE });
    const { service, load, probes } = scene;
    const { username, password } = scene.owners[0]!;
    probes.start();
    load.start();
    const end = performance.now() + (short ? 5000 : 60_000);
    const flood = Array.from({ length: CONNECTIONS }, (_, index) =>
      signInUntil(end, service.url, { username, password: index % 2 === 0 ? password : 'a wrong one' }),
    );
    const statuses = (await Promise.all(flood)).flat();
    const ledger = await settle(scene);
    const strange = statuses.filter((status) => status !== 200 && status !== 401);
    return [
      ...ledger,
      criterion('every sign-in is answered 200 or 401', strange.length === 0, tally(statuses.map(String))),
      p99IsBelow(READ_P99, 'reads', load.reads),
      allSucceedFrom('every other request succeeds', load.replies, 0),
      readinessStaysUp(probes),
      ...serviceIsWell(service),
    ];
  },
};

/** One after the other on a connection of its own; the statuses. */
async function signInUntil(end: number, url: string, credentials: Credentials): Promise<number[]> {
  return withCaller(url, async (caller) => {
    const statuses: number[] = [];
    while (performance.now() < end)
      statuses.push((await caller.post('/api/auth/signin', credentials)).status);
    return statuses;
  });
}
