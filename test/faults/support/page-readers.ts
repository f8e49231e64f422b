import http from 'node:http';
import type net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Criterion } from '../protocol.js';
import { RESPONSE_TIMEOUT } from '../protocols/limits.js';
import { criterion } from './criteria.js';
import { count, highest, tally, time } from './figures.js';
import type { Owner } from './accounts.js';
import { PAGE_PATH, PAGE_SIZE, requestFor } from './long-pages.js';
import { dial } from './slow-sockets.js';

const READERS = 50;
/** Milliseconds, as the service asks for them. */
const RETRY_AFTER = 1000;
/** Of a service that has no room, and of an account that has its share. */
const REFUSALS = ['503', '429'];

/** An answer with the hundred properties of {@link ownPages}, each with the worst texts. */
export interface LargeAnswer {
  readonly name: string;
  readonly path: string;
  readonly accept: string;
  /** What it ends with when it is whole. */
  readonly ending: string;
  /** Connections that ask for it and never read it. */
  readonly neverReading: number;
}

export const PAGE: LargeAnswer = {
  name: 'page',
  path: PAGE_PATH,
  accept: 'application/json',
  ending: '"last":true}',
  neverReading: 4, // half of RESPONSE_MEMORY: responses under way are bounded together, and refused beyond
};
/** Of which few are written at once: more who never read would leave none to the others. */
export const EXPORT: LargeAnswer = {
  name: 'export',
  path: '/api/properties/export',
  accept: 'application/x-ndjson',
  ending: '"}\n',
  neverReading: 3,
};

/** What {@link readPages} brings about, for a title. */
export function titleOf({ name, neverReading }: LargeAnswer): string {
  return `${name}s of ${Math.round(PAGE_SIZE / 1e6)} MB: ${READERS} connections ask for them, and ${neverReading} never read theirs`;
}

/** The worst load of answers, for so many milliseconds: what came of it. Each owner has one export at a time. */
export async function readPages(
  url: string,
  owners: readonly Owner[],
  lasting: number,
  answer = PAGE,
): Promise<Criterion[]> {
  const alone = await readPage(url, owners[0]!, answer, new http.Agent());
  const end = performance.now() + lasting;
  const silent = new SilentReaders(url, owners, answer);
  const readers = Array.from({ length: READERS }, (_, index) =>
    readUntil(end, url, owners[index % owners.length]!, answer),
  );
  const replies = (await Promise.all(readers)).flat();
  silent.stop();
  return answersAreRight(alone, replies);
}

interface PageReply {
  /** What it was, in a word: 200 when it was whole, and its status when it was refused with Retry-After. */
  readonly word: string;
  readonly took: number;
}

/** Reads an answer and keeps nothing of it but its last characters. */
async function readPage(
  url: string,
  { token }: Owner,
  answer: LargeAnswer,
  agent: http.Agent,
): Promise<PageReply> {
  const begin = performance.now();
  const { path, accept, ending } = answer;
  const word = await new Promise<string>((resolve) => {
    const request = http.get(url + path, { agent, headers: { authorization: `Bearer ${token}`, accept } });
    request.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    request.on('response', (response) => {
      let size = 0;
      let tail = Buffer.alloc(0);
      response.on('data', (part: Buffer) => {
        size += part.length;
        tail = Buffer.concat([tail, part]).subarray(-200);
      });
      response.on('error', () => resolve('broken off'));
      response.on('end', () =>
        resolve(wordFor(response, size > PAGE_SIZE && tail.toString().endsWith(ending))),
      );
    });
  });
  return { word, took: performance.now() - begin };
}

function wordFor({ statusCode, headers }: http.IncomingMessage, isWhole: boolean): string {
  if (statusCode === 200) return isWhole ? '200' : '200, not whole';
  const word = String(statusCode);
  return REFUSALS.includes(word) && headers['retry-after'] === undefined
    ? `${word} without Retry-After`
    : word;
}

/** One answer after the other on a connection of its own; what is under way at the end is waited for. */
async function readUntil(end: number, url: string, owner: Owner, answer: LargeAnswer): Promise<PageReply[]> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const replies: PageReply[] = [];
  while (performance.now() < end) {
    const reply = await readPage(url, owner, answer, agent);
    replies.push(reply);
    if (reply.word !== '200') await sleep(RETRY_AFTER);
  }
  agent.destroy();
  return replies;
}

/** Connections that ask for the answer and never read it; as often as the service may close them there are new ones. */
class SilentReaders {
  private sockets: net.Socket[] = [];
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly url: string,
    private readonly owners: readonly Owner[],
    private readonly answer: LargeAnswer,
  ) {
    this.open();
    this.timer = setInterval(() => this.open(), RESPONSE_TIMEOUT);
  }

  stop(): void {
    clearInterval(this.timer);
    for (const socket of this.sockets) socket.destroy();
  }

  private open(): void {
    for (const socket of this.sockets) socket.destroy();
    const { path, accept, neverReading } = this.answer;
    this.sockets = Array.from({ length: neverReading }, (_, index) => {
      const socket = dial(this.url).pause();
      socket.write(requestFor(path, this.owners[index % this.owners.length]!, accept));
      return socket;
    });
  }
}

function answersAreRight(alone: PageReply, replies: readonly PageReply[]): Criterion[] {
  const strange = replies.filter(({ word }) => word !== '200' && !REFUSALS.includes(word));
  const slowest = highest(replies.map(({ took }) => took));
  const words = tally(replies.map(({ word }) => word));
  return [
    criterion('alone it is 200, and whole', alone.word === '200', `${alone.word} in ${time(alone.took)}`),
    criterion(
      'every answer is 200 and whole, or 503 or 429 with Retry-After',
      replies.length > 0 && strange.length === 0,
      `${words}; the slowest ${time(slowest)}`,
    ),
    criterion(
      'some are 200',
      replies.some(({ word }) => word === '200'),
      `of ${count(replies.length)}`,
    ),
  ];
}
