import { p99IsBelow, criterion, readinessStaysUp } from '../support/criteria.js';
import { tally } from '../support/figures.js';
import { withCaller } from '../support/http.js';
import { crowd } from './crowd.js';

const CONNECTIONS = 50;
const READ_P99 = 250;

export const SIGN_IN_FLOOD = crowd({
  name: 'sign-in-flood',
  title: `sign-ins on ${CONNECTIONS} connections, every other one with a wrong password`,
  nightly: true,
  scene: () => ({ rate: { writes: 20, reads: 50 } }),
  async press({ service, owners, load, probes }, short) {
    const { username, password } = owners[0]!;
    const end = performance.now() + (short ? 5000 : 60_000);
    const words: string[] = [];
    const signIn = async (index: number): Promise<void> =>
      withCaller(service.url, async (caller) => {
        const credentials = { username, password: index % 2 === 0 ? password : 'a wrong one' };
        while (performance.now() < end)
          words.push(String((await caller.post('/api/auth/signin', credentials)).status));
      });
    await Promise.all(Array.from({ length: CONNECTIONS }, (_, index) => signIn(index)));
    const isRight = words.every((word) => word === '200' || word === '401');
    return [
      criterion('every sign-in is answered 200 or 401', isRight, tally(words)),
      p99IsBelow(READ_P99, 'reads', load.reads),
      readinessStaysUp(probes),
    ];
  },
});
