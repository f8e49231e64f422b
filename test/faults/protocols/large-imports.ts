import { setTimeout as sleep } from 'node:timers/promises';
import { transactionRequest } from '../../support/factories.js';
import type { Criterion } from '../protocol.js';
import type { Owner } from '../support/accounts.js';
import { answersAreRight, criterion } from '../support/criteria.js';
import { count } from '../support/figures.js';
import { type Reply, withCaller } from '../support/http.js';
import type { Sql } from '../support/ledger.js';
import { crowd } from './crowd.js';

const SENDERS = 24;
const ROWS = 10_000;
const ROW_SIZE = 1040; // of 10 MiB
/** Milliseconds, as Retry-After says. */
const RETRY_AFTER = 1000;
const STORED = `SELECT count(*)::integer AS rows, array_remove(array_agg(payment_reference), NULL) AS markers
                  FROM transactions`;

/** Costly fields for so much room: in memory as objects, or as text on their way to the database. */
const SHAPES: readonly ((room: number) => object)[] = [
  (room) => ({ notes: `€${'n'.repeat(room - 20)}` }),
  (room) => ({ tags: Array.from({ length: room / 5 - 3 }, () => 'ab') }),
  (room) => ({ metadata: Object.fromEntries(numbers(room / 11 - 3).map((key) => [`k${key}`, 'v'])) }),
  (room) => ({ notes: '\u0001'.repeat(room / 6 - 3) }),
];

/** A file that was sent, by the marker in its first row. */
interface Sent extends Reply {
  readonly marker: string;
}

export const LARGE_IMPORTS = crowd({
  name: 'large-imports',
  title: `files of 10 MiB in ${SHAPES.length} shapes: ${SENDERS} connections import them`,
  async press({ cluster, service, owners }, short) {
    const files = owners.map(restOf);
    const end = performance.now() + (short ? 4000 : 60_000);
    const sent: Sent[] = [];
    const path = '/api/transactions/import?duplicates=allow';
    const headers = { 'content-type': 'application/x-ndjson' };
    /** One file after the other; the last is waited for. */
    const send = (sender: number): Promise<void> =>
      withCaller(service.url, async (caller) => {
        const index = sender % owners.length;
        const { token, propertyId } = owners[index]!;
        await sleep(RETRY_AFTER * Math.random()); // all at once would delay this client itself
        for (let file = 0; performance.now() < end; file++) {
          const marker = `marker-${sender}-${file}`;
          const body = Buffer.concat([rowOf(propertyId, { paymentReference: marker }), files[index]!]);
          const reply = await caller.send({ method: 'POST', path, token, body, headers });
          sent.push({ marker, ...reply });
          if (reply.status !== 200) await sleep(RETRY_AFTER);
        }
      });
    await Promise.all(numbers(SENDERS).map(send));
    return [...answersAreRight(sent), await rowsAreRight(cluster.sql, sent)];
  },
});

/** The file without its first row. */
function restOf({ propertyId }: Owner, index: number): Buffer {
  const room = ROW_SIZE - JSON.stringify(transactionRequest(propertyId)).length;
  const costly = SHAPES[index % SHAPES.length]!(room);
  return Buffer.concat(numbers(ROWS - 1).map((row) => rowOf(propertyId, { amount: row + 1, ...costly })));
}

function rowOf(propertyId: number, fields: Record<string, unknown>): Buffer {
  return Buffer.from(`${JSON.stringify(transactionRequest(propertyId, fields))}\n`);
}

async function rowsAreRight(sql: Sql, sent: readonly Sent[]): Promise<Criterion> {
  const [stored] = await sql<{ rows: number; markers: string[] }>(STORED);
  const { rows, markers } = stored!;
  const imported = sent.filter(({ status }) => status === 200).map(({ marker }) => marker);
  return criterion(
    'each file with 200 is stored whole, and no row of any other',
    markers.sort().join() === imported.sort().join() && rows === imported.length * ROWS,
    `${count(markers.length)} of ${count(imported.length)} with ${count(rows)} rows`,
  );
}

function numbers(length: number): number[] {
  return Array.from({ length }, (_, index) => index);
}
