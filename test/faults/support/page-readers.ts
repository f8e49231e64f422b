import http from 'node:http';
import type net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Criterion } from '../protocol.js';
import { RESPONSE_TIMEOUT } from '../protocols/limits.js';
import type { Owner } from './accounts.js';
import { criterion } from './criteria.js';
import { count, highest, tally, time } from './figures.js';
import { PAGE_PATH, PAGE_SIZE, requestOn } from './long-pages.js';

const READERS = 50;
/** Milliseconds, as Retry-After says. */
const RETRY_AFTER = 1000;
/** The memory for responses, or the share of the account, is taken. */
const REFUSALS = ['503', '429'];

/** A response with the hundred properties of {@link ownPages}. */
export interface LargeAnswer {
  readonly name: string;
  readonly path: string;
  readonly accept: string;
  /** The end of a whole one. */
  readonly ending: string;
  /** Connections that never read theirs. */
  readonly neverReading: number;
}

export const PAGE: LargeAnswer = {
  name: 'page',
  path: PAGE_PATH,
  accept: 'application/json',
  ending: '"last":true}',
  neverReading: 4, // half of RESPONSE_MEMORY
};

export const EXPORT: LargeAnswer = {
  name: 'export',
  path: '/api/properties/export',
  accept: 'application/x-ndjson',
  ending: '"}\n',
  neverReading: 3, // few exports run at once
};

export function titleOf({ name, neverReading }: LargeAnswer): string {
  return `${name}s of ${Math.round(PAGE_SIZE / 1e6)} MB: ${READERS} connections ask for them, and ${neverReading} never read theirs`;
}

/** The worst load of responses, for so many milliseconds. */
export async function readPages(
  url: string,
  owners: readonly Owner[],
  lasting: number,
  answer = PAGE,
): Promise<Criterion[]> {
  const alone = await readPage(url, owners[0]!, answer, new http.Agent());
  const end = performance.now() + lasting;
  const stop = neverRead(url, owners, answer);
  const replies: PageReply[] = [];
  const readOn = async (owner: Owner): Promise<void> => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    while (performance.now() < end) {
      const reply = await readPage(url, owner, answer, agent);
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
async function readPage(
  url: string,
  { token }: Owner,
  { path, accept, ending }: LargeAnswer,
  agent: http.Agent,
): Promise<PageReply> {
  const begin = performance.now();
  const word = await new Promise<string>((resolve) => {
    const request = http.get(url + path, { agent, headers: { authorization: `Bearer ${token}`, accept } });
    request.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    request.on('response', (response) => {
      let size = 0;
      let tail = '';
      response.setEncoding('latin1').on('data', (part: string) => {
        size += part.length;
        tail = (tail + part).slice(-ending.length);
      });
      response.on('error', () => resolve('broken off'));
      response.on('end', () => resolve(wordFor(response, size > PAGE_SIZE && tail === ending)));
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
function neverRead(url: string, owners: readonly Owner[], answer: LargeAnswer): () => void {
  const { path, accept, neverReading } = answer;
  let sockets: net.Socket[] = [];
  const close = (): void => sockets.forEach((socket) => socket.destroy());
  const open = (): void => {
    close();
    sockets = Array.from({ length: neverReading }, (_, index) =>
      requestOn(url, path, owners[index % owners.length]!, accept),
    );
  };
  open();
  const timer = setInterval(open, RESPONSE_TIMEOUT);
  return () => {
    clearInterval(timer);
    close();
  };
}
