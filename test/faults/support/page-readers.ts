import http from 'node:http';
import type net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Criterion } from '../protocol.js';
import { RESPONSE_TIMEOUT } from '../protocols/limits.js';
import type { Owner } from './accounts.js';
import { criterion } from './criteria.js';
import { count, highest, tally, time } from './figures.js';
import { PAGE_PATH, PAGE_SIZE, unreadPage } from './long-pages.js';

const READERS = 50;
/** Milliseconds, as Retry-After says. */
const RETRY_AFTER = 1000;
/** The memory for responses, or the share of the account, is taken. */
const REFUSALS = ['503', '429'];

/** Connections that never read their page; pages for half of RESPONSE_MEMORY. */
const NEVER_READING = 4;
const ENDING = '"last":true}';

export const TITLE = `pages of ${Math.round(PAGE_SIZE / 1e6)} MB: ${READERS} connections ask for them, and ${NEVER_READING} never read theirs`;

/** The worst load of responses, for so many milliseconds. */
export async function readPages(
  url: string,
  owners: readonly Owner[],
  lasting: number,
): Promise<Criterion[]> {
  const alone = await readPage(url, owners[0]!, new http.Agent());
  const end = performance.now() + lasting;
  const stop = neverRead(url, owners);
  const replies: PageReply[] = [];
  const readOn = async (owner: Owner): Promise<void> => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    while (performance.now() < end) {
      const reply = await readPage(url, owner, agent);
      replies.push(reply);
      if (reply.word !== '200') await sleep(RETRY_AFTER);
    }
    agent.destroy();
  };
  await Promise.all(Array.from({ length: READERS }, (_, index) => readOn(owners[index % owners.length]!)));
  stop();
  const words = replies.map(({ word }) => word);
  const slowest = highest(replies.map(({ took }) => took));
  return [
    criterion('alone it is 200, and whole', alone.word === '200', `${alone.word} in ${time(alone.took)}`),
    criterion(
      'every answer is 200 and whole, or 503 or 429 with Retry-After',
      words.every((word) => word === '200' || REFUSALS.includes(word)),
      `${tally(words)}; the slowest ${time(slowest)}`,
    ),
    criterion('some are 200', words.includes('200'), `of ${count(words.length)}`),
  ];
}

interface PageReply {
  /** 200 when whole, 503 or 429 with Retry-After, or a fault. */
  readonly word: string;
  readonly took: number;
}

/** Keeps nothing of the response but its last characters. */
async function readPage(url: string, { token }: Owner, agent: http.Agent): Promise<PageReply> {
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
    sockets = Array.from({ length: NEVER_READING }, (_, index) =>
      unreadPage(url, owners[index % owners.length]!),
    );
  };
  open();
  const timer = setInterval(open, RESPONSE_TIMEOUT);
  return () => {
    clearInterval(timer);
    close();
  };
}
