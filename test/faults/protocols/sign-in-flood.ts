import { signUpRequest } from '../../support/sign-up.js';
import type { Protocol } from '../protocol.js';
import { allSucceedFrom, criterion, readinessStaysUp, serviceIsWell, timing } from '../support/criteria.js';
import { count, percentile, tally, time } from '../support/figures.js';
import { Caller } from '../support/http.js';
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
    const credentials = await signUp(service.url);
    probes.start();
    load.start();
    const end = performance.now() + (short ? 5000 : 60_000);
    const flood = Array.from({ length: CONNECTIONS }, (_, index) =>
      signInUntil(end, service.url, {
        ...credentials,
        ...(index % 2 === 0 ? {} : { password: 'a wrong one' }),
      }),
    );
    const statuses = (await Promise.all(flood)).flat();
    const ledger = await settle(scene);
    const p99 = percentile(
      load.reads.map(({ took }) => took),
      99,
    );
    const strange = statuses.filter((status) => status !== 200 && status !== 401);
    return [
      ...ledger,
      criterion('every sign-in is answered 200 or 401', strange.length === 0, tally(statuses.map(String))),
      timing(
        `p99 of reads < ${time(READ_P99)}`,
        p99 < READ_P99,
        `${time(p99)} of ${count(load.reads.length)}`,
      ),
      allSucceedFrom('every other request succeeds', load.replies, 0),
      readinessStaysUp(probes),
      ...serviceIsWell(service),
    ];
  },
};

interface Credentials {
  readonly username: string;
  readonly password: string;
}

async function signUp(url: string): Promise<Credentials> {
  const caller = new Caller(url);
  const request = signUpRequest();
  await caller.send({ method: 'POST', path: '/api/auth/signup', body: JSON.stringify(request) });
  caller.close();
  return { username: request.username, password: request.password };
}

/** One after the other on a connection of its own; the statuses. */
async function signInUntil(end: number, url: string, credentials: Credentials): Promise<number[]> {
  const caller = new Caller(url);
  const body = JSON.stringify(credentials);
  const statuses: number[] = [];
  while (performance.now() < end) {
    const { status } = await caller.send({ method: 'POST', path: '/api/auth/signin', body });
    statuses.push(status);
  }
  caller.close();
  return statuses;
}
