import { setTimeout as sleep } from 'node:timers/promises';
import { transactionRequest } from '../../support/factories.js';
import { WRONG_TOTALS } from '../../support/totals.js';
import type { Criterion, Protocol } from '../protocol.js';
import type { Cluster } from '../support/cluster.js';
import { criterion, livenessStaysUp, memoryIsBounded, serviceIsWell } from '../support/criteria.js';
import { count, highest, tally, time } from '../support/figures.js';
import { Caller } from '../support/http.js';
import type { Owner } from '../support/accounts.js';
import { MEMORY } from '../support/memory-limit.js';

const SENDERS = 24;
const ROWS = 10_000;
const ROW_SIZE = 1040; // of 10 MiB
const LIVENESS = 250;
/** Milliseconds: ten thousand rows with a thousand characters each are dear to index. */
const PATIENCE = 120_000;
/** Milliseconds, as the service asks for them. */
const RETRY_AFTER = 1000;

/** Fields for so much room that are dear: in memory as objects, or as text on their way to the database. */
const SHAPES: readonly ((room: number) => object)[] = [
  (room) => ({ notes: `€${'n'.repeat(room - 20)}` }),
  (room) => ({ tags: Array.from({ length: room / 5 - 3 }, () => 'ab') }),
  (room) => ({ metadata: Object.fromEntries(numbers(room / 11 - 3).map((key) => [`k${key}`, 'v'])) }),
  (room) => ({ notes: '\u0001'.repeat(room / 6 - 3) }),
];

/** What became of a file. */
interface Sent {
  readonly marker: string;
  readonly word: string;
  readonly took: number;
}

export const LARGE_IMPORTS: Protocol = {
  name: 'large-imports',
  title: `files of 10 MiB in ${SHAPES.length} shapes: ${SENDERS} connections import them`,
  async run(rig, { short }) {
    const memory = rig.memoryLimit(MEMORY);
    const { cluster, service, owners, probes } = await rig.scene({ memory });
    const files = owners.map((owner, index) => restOf(owner, index));
    probes.start();
    const end = performance.now() + (short ? 10_000 : 60_000);
    const markers = new Set<string>();
    const sent = (
      await Promise.all(
        numbers(SENDERS).map((index) => {
          const at = index % owners.length;
          const caller = new Caller(service.url, undefined, PATIENCE);
          return sendUntil(end, caller, owners[at]!, files[at]!, markers);
        }),
      )
    ).flat();
    await probes.stop();
    return [
      ...answersAreRight(sent),
      ...(await rowsAreRight(cluster, sent)),
      memoryIsBounded(service, memory),
      ...livenessStaysUp(probes, LIVENESS),
      ...serviceIsWell(service),
    ];
  },
};

/** The file but for its first row. */
function restOf({ propertyId }: Owner, index: number): Buffer {
  const room = ROW_SIZE - JSON.stringify(transactionRequest(propertyId)).length;
  const dear = SHAPES[index % SHAPES.length]?.(room);
  const rows = numbers(ROWS - 1).map((row) => rowOf(propertyId, { amount: row + 1, ...dear }));
  return Buffer.from(rows.join(''));
}

function rowOf(propertyId: number, fields: Record<string, unknown>): string {
  return `${JSON.stringify(transactionRequest(propertyId, fields))}\n`;
}

/** One file after the other; what is under way at the end is waited for. */
async function sendUntil(
  end: number,
  caller: Caller,
  { token, propertyId }: Owner,
  rest: Buffer,
  markers: Set<string>,
): Promise<Sent[]> {
  const sent: Sent[] = [];
  await sleep(RETRY_AFTER * Math.random()); // else the client itself would be held up
  while (performance.now() < end) {
    const marker = `marker-${markers.size}`;
    markers.add(marker);
    const { status, faults, took } = await caller.send({
      method: 'POST',
      path: '/api/transactions/import?duplicates=allow',
      token,
      body: Buffer.concat([Buffer.from(rowOf(propertyId, { paymentReference: marker })), rest]),
      headers: { 'content-type': 'application/x-ndjson' },
    });
    sent.push({ marker, word: status === 200 ? '200' : (faults[0] ?? String(status)), took });
    if (status !== 200) await sleep(RETRY_AFTER);
  }
  caller.close();
  return sent;
}

function answersAreRight(sent: readonly Sent[]): Criterion[] {
  const words = sent.map(({ word }) => word);
  const slowest = highest(sent.map(({ took }) => took));
  return [
    criterion(
      'every answer is 200, or 429 or 503 with Retry-After',
      words.every((word) => ['200', '429', '503'].includes(word)),
      `${tally(words)}; the slowest ${time(slowest)}`,
    ),
    criterion('some are 200', words.includes('200'), `of ${count(words.length)}`),
  ];
}

async function rowsAreRight(cluster: Cluster, sent: readonly Sent[]): Promise<Criterion[]> {
  const [stored] = await cluster.sql<{ rows: number; markers: string[] }>(
    `SELECT count(*)::integer AS rows, coalesce(array_agg(payment_reference) FILTER (WHERE payment_reference <> ''), '{}') AS markers
       FROM transactions`,
  );
  const { rows = 0, markers = [] } = stored ?? {};
  const imported = new Set(sent.filter(({ word }) => word === '200').map(({ marker }) => marker));
  const strange = markers.filter((marker) => !imported.has(marker));
  const wrong = (await cluster.sql(WRONG_TOTALS)).length;
  return [
    criterion(
      'each file that is 200 is stored whole, and nothing of any other',
      strange.length === 0 && markers.length === imported.size && rows === imported.size * ROWS,
      `${count(markers.length)} of ${count(imported.size)} with ${count(rows)} rows`,
    ),
    criterion('totals are the real counts', wrong === 0, `${count(wrong)} wrong`),
  ];
}

function numbers(length: number): number[] {
  return Array.from({ length }, (_, index) => index);
}
