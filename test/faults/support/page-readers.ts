import type net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Criterion } from '../protocol.js';
import type { Owner } from './accounts.js';
import type { Cluster } from './cluster.js';
import { type Answer, answerOf, answersAreRight, criterion } from './criteria.js';
import { time } from './figures.js';
import { type Caller, dial, withCaller } from './http.js';

const PAGE_PATH = '/api/properties?size=100';
/** Of two texts of a property, each as long as it may be. */
const LENGTH = 10_000;
/** In bytes: JSON writes a control character with six. */
const PAGE_SIZE = 100 * 2 * LENGTH * 6;
const ENDING = '"last":true}';
const READERS = 50;
/** Connections that never read their page; pages for half of RESPONSE_MEMORY. */
const NEVER_READING = 4;
/** Milliseconds: the default of RESPONSE_TIMEOUT, and the Retry-After of a refusal. */
const [RESPONSE_TIMEOUT, RETRY_AFTER] = [15_000, 1000];

export const TITLE = `pages of ${Math.round(PAGE_SIZE / 1e6)} MB: ${READERS} connections ask for them, and ${NEVER_READING} never read theirs`;

/** Gives an owner of one property a hundred with the worst texts. */
export async function ownPages({ sql }: Cluster, { id }: Owner): Promise<void> {
  const columns = 'owner_id, name, address, base_price, max_guests, bedrooms, bathrooms, active';
  await sql(
    `INSERT INTO properties (${columns}) SELECT ${columns} FROM properties, generate_series(1, 99) WHERE owner_id = $1`,
    [id],
  );
  await sql(
    `UPDATE properties SET house_rules = repeat(chr(1), $2), check_in_instructions = repeat(chr(2), $2) WHERE owner_id = $1`,
    [id, LENGTH],
  );
}

/** The worst load of responses, for so many milliseconds. */
export async function readPages(
  url: string,
  owners: readonly Owner[],
  lasting: number,
): Promise<Criterion[]> {
  const alone = await withCaller(url, (caller) => readPage(caller, owners[0]!));
  const end = performance.now() + lasting;
  const stop = neverRead(url, owners);
  const answers: Answer[] = [];
  const readOn = (owner: Owner): Promise<void> =>
    withCaller(url, async (caller) => {
      while (performance.now() < end) {
        const answer = await readPage(caller, owner);
        answers.push(answer);
        if (answer.word !== '200') await sleep(RETRY_AFTER);
      }
    });
  await Promise.all(Array.from({ length: READERS }, (_, index) => readOn(owners[index % owners.length]!)));
  stop();
  const isWhole = alone.word === '200';
  return [
    criterion('alone it is 200, and whole', isWhole, `${alone.word} in ${time(alone.took)}`),
    ...answersAreRight(answers),
  ];
}

async function readPage(caller: Caller, { token }: Owner): Promise<Answer> {
  const reply = await caller.get(PAGE_PATH, token);
  return answerOf(reply, reply.text.length > PAGE_SIZE && reply.text.endsWith(ENDING));
}

/** Opens connections again when the service may have closed them; returns their end. */
function neverRead(url: string, owners: readonly Owner[]): () => void {
  let sockets: net.Socket[] = [];
  const close = (): void => sockets.forEach((socket) => socket.destroy());
  const open = (): void => {
    close();
    sockets = Array.from({ length: NEVER_READING }, (_, index) => {
      const socket = dial(url).pause();
      const headers = `Host: localhost\r\nAuthorization: Bearer ${owners[index % owners.length]!.token}`;
      socket.write(`GET ${PAGE_PATH} HTTP/1.1\r\n${headers}\r\n\r\n`);
      return socket;
    });
  };
  open();
  const timer = setInterval(open, RESPONSE_TIMEOUT);
  return () => {
    clearInterval(timer);
    close();
  };
}
