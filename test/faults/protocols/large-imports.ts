import { setTimeout as sleep } from 'node:timers/promises';
import { transactionRequest } from '../../support/factories.js';
import type { Owner } from '../support/accounts.js';
import { responsesAreRight, criterion } from '../support/criteria.js';
import { count } from '../support/figures.js';
import { type Reply, withCaller } from '../support/http.js';
import { crowd } from './crowd.js';

const SENDERS = 24;
const ROWS = 10_000;
const ROW_SIZE = 1040; // of 10 MiB
/** Milliseconds, as Retry-After says. */
const RETRY_AFTER = 1000;

/** Costly fields for so much room: in memory as objects, or as text on their way to the database. */
const SHAPES: readonly ((room: number) => object)[] = [
  (room) => ({ notes: `€${'n'.repeat(room - 20)}` }),
  (room) => ({ tags: Array.from({ length: room / 5 - 3 }, () => 'ab') }),
  (room) => ({ metadata: Object.fromEntries(numbers(room / 11 - 3).map((key) => [`k${key}`, 'v'])) }),
  (room) => ({ notes: '\u0001'.repeat(room / 6 - 3) }),
];

export const LARGE_IMPORTS = crowd({
  name: 'large-imports',
  title: `files of 10 MiB in ${SHAPES.length} shapes: ${SENDERS} connections import them`,
  async press({ cluster, service, owners }, short) {
    const files = owners.map(fileOf);
    const end = performance.now() + (short ? 4000 : 60_000);
    const replies: Reply[] = [];
    const path = '/api/transactions/import?duplicates=allow';
    const headers = { 'content-type': 'application/x-ndjson' };
    /** One file after the other; the last is waited for. */
    const send = (sender: number): Promise<void> =>
      withCaller(service.url, async (caller) => {
        const index = sender % owners.length;
        const call = { method: 'POST', path, token: owners[index]!.token, body: files[index]!, headers };
        await sleep(RETRY_AFTER * Math.random()); // all at once would delay this client itself
        while (performance.now() < end) {
          const reply = await caller.send(call);
          replies.push(reply);
          if (reply.status !== 200) await sleep(RETRY_AFTER);
        }
      });
    await Promise.all(numbers(SENDERS).map(send));
    const imported = replies.filter(({ status }) => status === 200).length;
    const [stored] = await cluster.sql<{ rows: number }>('SELECT count(*)::int AS rows FROM transactions');
    const areWhole = stored!.rows === imported * ROWS;
    const measured = `${count(imported)} files, ${count(stored!.rows)} rows`;
    return [
      ...responsesAreRight(replies),
      criterion('each file with 200 is stored whole, and no row of any other', areWhole, measured),
    ];
  },
});

function fileOf({ propertyId }: Owner, index: number): Buffer {
  const room = ROW_SIZE - JSON.stringify(transactionRequest(propertyId)).length;
  const costly = SHAPES[index % SHAPES.length]!(room);
  const row = (amount: number): string =>
    `${JSON.stringify(transactionRequest(propertyId, { amount, ...costly }))}\n`;
  return Buffer.from(
    numbers(ROWS)
      .map((amount) => row(amount + 1))
      .join(''),
  );
}

function numbers(length: number): number[] {
  return Array.from({ length }, (_, index) => index);
}
