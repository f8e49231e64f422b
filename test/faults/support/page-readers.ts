import http from 'node:http';
import type net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Criterion } from '../protocol.js';
import type { Owner } from './accounts.js';
import type { Cluster } from './cluster.js';
import { type Answer, answersAreRight, criterion } from './criteria.js';
import { time } from './figures.js';
import { dial } from './slow-sockets.js';

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
  const alone = await readPage(url, owners[0]!, new http.Agent());
  const end = performance.now() + lasting;
  const stop = neverRead(url, owners);
  const answers: Answer[] = [];
  const readOn = async (owner: Owner): Promise<void> => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    while (performance.now() < end) {
      const answer = await readPage(url, owner, agent);
      answers.push(answer);
      if (answer.word !== '200') await sleep(RETRY_AFTER);
    }
    agent.destroy();
  };
  await Promise.all(Array.from({ length: READERS }, (_, index) => readOn(owners[index % owners.length]!)));
  stop();
  const isWhole = alone.word === '200';
  return [
    criterion('alone it is 200, and whole', isWhole, `${alone.word} in ${time(alone.took)}`),
    ...answersAreRight(answers),
  ];
}

/** 200 when whole, 503 or 429 with Retry-After, or a fault. Keeps nothing of the response but its last characters. */
async function readPage(url: string, { token }: Owner, agent: http.Agent): Promise<Answer> {
  const begin = performance.now();
  const word = await new Promise<string>((resolve) => {
    const request = http.get(url + PAGE_PATH, { agent, headers: { authorization: `Bearer ${token}` } });
    request.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    request.on('response', (response) => {
      let size = 0;
      let tail = '';
      response.setEncoding('latin1').on('data', (part: string) => {
        size += part.length;
        tail = (tail + part).slice(-ENDING.length);
      });
      response.on('error', () => resolve('broken off'));
      response.on('end', () => resolve(wordFor(response, size > PAGE_SIZE && tail === ENDING)));
    });
  });
  return { word, took: performance.now() - begin };
}

function wordFor({ statusCode, headers }: http.IncomingMessage, isWhole: boolean): string {
  if (statusCode === 200) return isWhole ? '200' : '200, not whole';
  const hasWait = headers['retry-after'] !== undefined;
  return hasWait ? String(statusCode) : `${statusCode} without Retry-After`;
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
