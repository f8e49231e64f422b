import { Agent } from 'node:http';
import { wholeNumber } from '../../bench/options.js';
import type { Criterion } from '../faults/protocol.js';
import { runCriteria } from '../faults/support/command.js';
import { criterion } from '../faults/support/criteria.js';
import { median } from '../faults/support/figures.js';
import {
  createProperty,
  createTransaction,
  propertyRequest,
  transactionRequest,
} from '../support/factories.js';
import { type HttpRequest, send } from '../support/http.js';
import { startOwnService } from '../support/own-service.js';
import { Random } from '../support/random.js';
import type { Service } from '../support/service.js';

const MOST_MILLISECONDS = 5;
/** Of a sign-in, whose time is no fraction of a millisecond. */
const MOST_PERCENT = 5;
const WARM_UP = 10;
/** Rows of the stranger before the one that is asked for; as many ids further on, there is none. */
const NEIGHBOURS = 200;
const JSON_TYPE = { 'content-type': 'application/json' };

/** The known account's password, and the wrong ones. bcrypt reads 72 bytes; the last fills the largest body. */
const PASSWORDS: readonly [own: string, wrong: readonly string[]][] = [
  ['correct horse', ['x'.repeat(12), 'x'.repeat(72), 'x'.repeat(73), '😀'.repeat(72), 'x'.repeat(16_284)]],
  ['é'.repeat(72), ['x'.repeat(12), '😀'.repeat(72)]],
];

/** Two requests whose responses must be the same, after the same time. */
interface Pair {
  readonly name: string;
  readonly status: 401 | 404;
  readonly requests: readonly [HttpRequest, HttpRequest];
}

await runCriteria({
  call: 'npm run test:timing',
  about:
    'Measures whether the time of a response shows what its text does not: whether an account exists, or another ' +
    "owner's resource does. Sends two requests in random turns, and fails when their medians are further apart than " +
    'they may be.',
  options: {
    samples: wholeNumber('of each request of a pair', 400),
    seed: wholeNumber('of the random turns', 1),
  },
  example: '--samples 1000',
  async run({ samples, seed }, cleanup, tell) {
    const service = await startOwnService(cleanup);
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    cleanup.defer(() => agent.destroy());
    for (const pair of [...(await ownershipPairs(service)), ...(await signInPairs(service))])
      tell([await measure(service.url, agent, pair, new Random(seed), samples)]);
  },
});

/** Another owner's resource against a missing one. */
async function ownershipPairs(service: Service): Promise<Pair[]> {
  const [caller, stranger] = [await service.account(), await service.account()];
  const own = await createProperty(caller);
  let [property, transaction] = [0, 0];
  for (let left = NEIGHBOURS; left >= 0; left--) {
    property = (await createProperty(stranger)).id;
    transaction = (await createTransaction(stranger, property)).id;
  }
  const headers = { authorization: `Bearer ${caller.token!}`, ...JSON_TYPE };
  const cases: [method: string, path: string, id: number, body?: (id: number) => object][] = [
    ['GET', '/api/properties/{id}', property],
    ['PUT', '/api/properties/{id}', property, () => propertyRequest()],
    ['DELETE', '/api/properties/{id}', property],
    ['GET', '/api/transactions/{id}', transaction],
    ['PUT', '/api/transactions/{id}', transaction, () => transactionRequest(own.id)],
    ['DELETE', '/api/transactions/{id}', transaction],
    ['GET', '/api/transactions/property/{id}', property],
    ['POST', '/api/transactions', property, (id) => transactionRequest(id)],
  ];
  return cases.map(([method, path, theirs, body]) => {
    const request = (id: number): HttpRequest => ({
      ...{ method, path: path.replace('{id}', String(id)), headers },
      body: body && JSON.stringify(body(id)),
    });
    const name = `${method} ${path}: another owner's, a missing one`;
    return { name, status: 404, requests: [request(theirs), request(theirs + NEIGHBOURS)] };
  });
}

/** An unknown name against a wrong password. */
async function signInPairs({ anonymous }: Service): Promise<Pair[]> {
  const pairs: Pair[] = [];
  for (const [own, wrong] of PASSWORDS) {
    const account = { username: `known-${own.length}`, email: `${own.length}@example.com`, password: own };
    const { status, text } = await anonymous.post('/api/auth/signup', account);
    if (status !== 201) throw new Error(`no account: ${text}`);
    const signIn = (username: string, password: string): HttpRequest => ({
      ...{ method: 'POST', path: '/api/auth/signin', headers: JSON_TYPE },
      body: JSON.stringify({ username, password }),
    });
    for (const password of wrong) {
      const name = `sign-in with ${Buffer.byteLength(password)} bytes: unknown name, known of ${own.length}`;
      const requests = [signIn(`ghost-${own.length}`, password), signIn(account.username, password)] as const;
      pairs.push({ name, status: 401, requests });
    }
  }
  return pairs;
}

/** Sends both in random turns, so that other work of the machine slows down both alike. */
async function measure(
  url: string,
  agent: Agent,
  { name, status, requests }: Pair,
  random: Random,
  samples: number,
): Promise<Criterion> {
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round < samples + WARM_UP; round++) {
    const texts: string[] = [];
    for (const side of random.shuffled([0, 1] as const)) {
      const begin = performance.now();
      const answer = await send(url, requests[side], { agent });
      if (round >= WARM_UP) times[side].push(performance.now() - begin);
      const varying = /^(x-request-id|date|content-length)$/;
      const headers = [...answer.headers].filter(([header]) => !varying.test(header));
      const document = answer.text.replace(/"(timestamp|instance)":"[^"]*"/g, '');
      texts[side] = `${answer.status} ${JSON.stringify(headers)} ${document}`;
    }
    const [one, other] = texts;
    if (one !== other || !one!.startsWith(String(status)))
      throw new Error(`${name}: the responses differ, or are not ${status}:\n${one}\n${other}`);
  }
  const [one, other] = times.map(median) as [number, number];
  const apart = Math.abs(one - other);
  const percent = (apart / Math.max(one, other)) * 100;
  const isClose = apart <= MOST_MILLISECONDS && (status !== 401 || percent <= MOST_PERCENT);
  const [first, second, between] = [one, other, apart].map((time) => `${time.toFixed(3)} ms`);
  return criterion(name, isClose, `${first} and ${second}, ${between} or ${percent.toFixed(1)} % apart`);
}
