import { once } from 'node:events';
import http from 'node:http';
import { finished } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { FIRST_OWNER, TERMS } from '../../../bench/dataset.js';
import { seed } from '../../../bench/seed.js';
import type { HttpRequest } from '../../support/client.js';
import { transactionRequest } from '../../support/factories.js';
import { claimsOf, forge } from '../../support/forged-token.js';
import { requestText } from '../../support/wire.js';
import type { Criterion, Protocol } from '../protocol.js';
import { livenessStaysUp, memoryIsBounded, none, serviceIsWell, timing } from '../support/criteria.js';
import { count, percentile, tally, time } from '../support/figures.js';
import { dial, type Reply, steadily, succeeded, withCaller, wordOf } from '../support/http.js';
import { Probes } from '../support/probes.js';

const ROWS = 200_000;
const SHORT_ROWS = 20_000;
const CONNECTIONS = 20;
const SLOW_READERS = 100;
/** Bytes a second of a slow reader. */
const SLOWLY = 8192;
/** Requests of the other account per second, and their longest times in milliseconds. */
const OTHERS = { GET: { rate: 40, bound: 150 }, POST: { rate: 20, bound: 500 } };
const LIVENESS = 100;
/** 503: a statement that took too long, on a machine that is busy. */
const ANSWERS = /^([24]\d\d|503)$/;
const MIB = 1024 * 1024;
const ROWS_OF = 'SELECT id, property_id FROM transactions WHERE owner_id = $1 LIMIT $2';

type Row = Readonly<Record<'id' | 'property_id', string>>;
type Request = Pick<HttpRequest, 'method' | 'path'> & {
  readonly type?: string;
  readonly body?: string | Buffer;
  /** In place of the account's token. */
  readonly credential?: string;
};

const KEYS = 'description,vendor,amount,category,type,status,dueDate,paidAt,updatedAt,createdAt'.split(',');
const BATCH = { transactions: Array.from({ length: 100 }, () => transactionRequest(1)) };

const get = (path: string): Request => ({ method: 'GET', path: `/api/${path}` });
const json = (path: string, body: object): Request => ({
  method: 'POST',
  path: `/api/transactions/${path}`,
  body: JSON.stringify(body),
});
const file = (body: string): Request => ({
  method: 'POST',
  path: '/api/transactions/import',
  type: 'text/csv',
  body: Buffer.from(body),
});
const tokenOf = (id: number): string => forge({ payload: claimsOf({ id: String(id) }) });
const COMMAS = file(','.repeat(10 * MIB));

/** Requests of the account on all of its connections, one kind after the other. */
const KINDS: Readonly<Record<string, Request>> = {
  'common-word search': json('search', { searchTerm: TERMS.common, sortBy: 'amount', size: 100 }),
  'ten sort keys': get(`transactions?${KEYS.map((key) => `sort=${key}`).join('&')}`),
  'a sort without an index': get('transactions?sort=vendor'),
  'a sort of index entries': get('transactions?sort=dueDate'),
  'a deep page': get('transactions?sort=amount&page=9900'),
  'search by category': json('search', { category: 'TAXES' }),
  'pages of a hundred': get('transactions?size=100'),
  'cash flow': get('reports/cash-flow?from=2000-01-01&months=1'), // its series go on for more than 2,000 occurrences later
  'profit and loss': get('reports/profit-and-loss'),
  batch: json('batch', BATCH),
  export: json('export', {}),
  'import of commas': COMMAS,
  'forged API keys': { ...get('properties'), credential: `pfk_1_${'A'.repeat(43)}` },
};

/** Tells the changes of each row of the largest file, and writes none, so that it can be sent again. */
const updatesOf = (rows: readonly Row[]): Request => ({
  ...file(`id,version,notes\n${rows.map(({ id }) => `${id},1,corrected\n`).join('')}`),
  path: '/api/transactions/import?mode=update&dryRun=true',
});

/** Files that it imports meanwhile, on four more. */
const HOSTILE_FILES = [
  COMMAS,
  file(Array.from({ length: 500_000 }, (_, index) => `column-${index}`).join()),
  file(`${','.repeat(300_000)}\n${'id,\n'.repeat(300_000)}`),
  file(`propertyId,type,category,description,amount,date\n"${'""'.repeat(4 * MIB)}"`),
];

export const ONE_ACCOUNT: Protocol = {
  name: 'one-account',
  title:
    `one account of ${count(ROWS)} rows on ${CONNECTIONS} connections, with ${HOSTILE_FILES.length} hostile importers ` +
    `and ${SLOW_READERS} slow readers, beside another of as many rows`,
  async run(rig, short) {
    const cluster = await rig.cluster();
    const service = await rig.launch({ databaseUrl: cluster.url, isLimited: true }).ready();
    const size = short ? SHORT_ROWS : ROWS;
    await seed(cluster.adminUrl, { owners: 3, transactions: 2 * size, large: [size, size] });
    const rows = await cluster.sql<Row>(ROWS_OF, [FIRST_OWNER + 1, 1000]);
    const updates = updatesOf(await cluster.sql<Row>(ROWS_OF, [FIRST_OWNER, 10_000]));
    const account = new Account(service.url);
    const probes = new Probes(rig, service.url);
    const [quiet, each] = short ? [1000, 1500] : [5000, 30_000];
    const found = [timesAreShort('nothing', await ask(service.url, rows, AbortSignal.timeout(quiet)))];
    const stop = new AbortController();
    rig.defer(() => stop.abort());
    const behind = [
      ...HOSTILE_FILES.map((request) => account.repeat(request, stop.signal)),
      ...Array.from({ length: SLOW_READERS }, (_, index) => account.readSlowly(index, stop.signal)),
    ];
    const owns: string[][] = [];
    const others: Reply[] = [];
    for (const [kind, request] of Object.entries({ ...KINDS, 'updates of a file': updates })) {
      const end = AbortSignal.timeout(each);
      const asking = Array.from({ length: CONNECTIONS }, () => account.repeat(request, end));
      const replies = await ask(service.url, rows, end);
      const own = (await Promise.all(asking)).flat();
      found.push(timesAreShort(kind, replies, own));
      owns.push(own);
      others.push(...replies);
    }
    stop.abort();
    owns.push(...(await Promise.all(behind)));
    await probes.stop();
    const refused = others.filter((reply) => !succeeded(reply)).map(wordOf);
    const failed = owns.flat().filter((word) => !ANSWERS.test(word));
    const criteria = [
      ...found,
      none(`refusal of the other account's ${count(others.length)} requests`, refused),
      none('500 or missing response for the account', failed),
      memoryIsBounded(service),
      ...livenessStaysUp(probes, LIVENESS),
      ...serviceIsWell(service),
    ];
    return short ? criteria.map(withoutTimes) : criteria;
  },
};

/** Load generator, service and PostgreSQL share the cores of the gate: there the times are shown and not judged. */
function withoutTimes(found: Criterion): Criterion {
  return found.ofBound !== undefined ? { ...found, passed: true, name: `shown: ${found.name}` } : found;
}

/** The account with the heavy requests. */
class Account {
  private readonly token = tokenOf(FIRST_OWNER);

  constructor(private readonly url: string) {}

  /** One request after the other, on a connection of its own; the statuses. */
  async repeat(request: Request, end: AbortSignal): Promise<string[]> {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    const words: string[] = [];
    while (!end.aborted) words.push(await this.send(request, agent));
    agent.destroy();
    return words;
  }

  /** Reads one response after the other slowly: exports and pages in turn. */
  async readSlowly(index: number, end: AbortSignal): Promise<string[]> {
    const { method, path, body } = index % 2 === 0 ? json('export', {}) : get('transactions?size=100');
    const headers = [`Authorization: Bearer ${this.token}`, 'Content-Type: application/json'];
    const text = requestText(`${method} ${path} HTTP/1.1`, headers, body?.toString());
    while (!end.aborted) {
      const socket = dial(this.url).pause();
      socket.write(text);
      while (!(end.aborted as boolean) && !socket.readableEnded && !socket.destroyed) {
        await sleep(1000);
        socket.read(Math.min(SLOWLY, socket.readableLength));
      }
      socket.destroy();
    }
    return [];
  }

  /** Keeps nothing of the response. */
  private async send(sent: Request, agent: http.Agent): Promise<string> {
    const { method, path, type = 'application/json', body, credential = this.token } = sent;
    const content = body && { 'content-type': type, 'content-length': Buffer.byteLength(body) };
    const headers = { authorization: `Bearer ${credential}`, ...content };
    const request = http.request(this.url + path, { method, headers, agent }).end(body);
    try {
      const [response] = (await once(request, 'response')) as [http.IncomingMessage];
      await finished(response.resume());
      return String(response.statusCode);
    } catch (error) {
      return (error as Error).message;
    }
  }
}

/** The requests of the other account, at a fixed rate. */
async function ask(url: string, rows: readonly Row[], end: AbortSignal): Promise<Reply[]> {
  const token = tokenOf(FIRST_OWNER + 1);
  const replies: Reply[] = [];
  let sent = 0;
  const row = (): Row => rows[sent++ % rows.length]!;
  await withCaller(url, async (caller) => {
    const requests = {
      GET: () => caller.get(`/api/transactions/${row().id}`, token),
      POST: () => caller.post('/api/transactions', transactionRequest(Number(row().property_id)), token),
    };
    const ends = (['GET', 'POST'] as const).map((method) =>
      steadily(OTHERS[method].rate, async () => replies.push(await requests[method]())),
    );
    await once(end, 'abort');
    await Promise.all(ends.map((stop) => stop()));
  });
  return replies;
}

function timesAreShort(kind: string, replies: readonly Reply[], own: readonly string[] = []): Criterion {
  const found = Object.entries(OTHERS).map(([wanted, { bound }]) => {
    const times = replies.filter(({ method }) => method === wanted).map(({ took }) => took);
    const [p50, p99] = [percentile(times, 50), percentile(times, 99)];
    return { isShort: p99 <= bound, words: `${wanted} ${time(p50)}/${time(p99)} of ${count(times.length)}` };
  });
  return timing(
    `${kind}: the other's GET p99 ≤ 150 ms, POST ≤ 500 ms`,
    found.every(({ isShort }) => isShort),
    `${found.map(({ words }) => words).join(', ')}; the one: ${tally(own) || 'nothing'}`,
  );
}
