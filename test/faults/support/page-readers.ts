import http from 'node:http';
import type net from 'node:net';
import type { Criterion } from '../protocol.js';
import { RESPONSE_TIMEOUT } from '../protocols/limits.js';
import { criterion } from './criteria.js';
import { count, highest, tally, time } from './figures.js';
import type { Owner } from './load.js';
import { PAGE_PATH, pageRequest } from './long-pages.js';
import { dial } from './slow-sockets.js';

const READERS = 50;
const NEVER_READING = 20;
const PAGE_SIZE = 100 * 2 * 65_536 * 6;

/** What {@link readPages} brings about, for a title. */
export const PAGES_TITLE = `pages of ${Math.round(PAGE_SIZE / 1e6)} MB: ${READERS} connections ask for them, and ${NEVER_READING} never read theirs`;

/** The worst load of answers, for so many milliseconds: what came of it. */
export async function readPages(url: string, owner: Owner, lasting: number): Promise<Criterion[]> {
  const alone = await readPage(url, owner, new http.Agent());
  const end = performance.now() + lasting;
  const silent = new SilentReaders(url, owner);
  const readers = Array.from({ length: READERS }, () => readUntil(end, url, owner));
  const replies = (await Promise.all(readers)).flat();
  silent.stop();
  return answersAreRight(alone, replies);
}

interface PageReply {
  /** What it was, in a word: 200 when it was whole, and 503 when it was well-formed. */
  readonly word: string;
  readonly took: number;
}

/** Reads a page and keeps nothing of it but its last characters. */
async function readPage(url: string, { token }: Owner, agent: http.Agent): Promise<PageReply> {
  const begin = performance.now();
  const word = await new Promise<string>((resolve) => {
    const request = http.get(url + PAGE_PATH, { agent, headers: { authorization: `Bearer ${token}` } });
    request.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    request.on('response', (response) => {
      let size = 0;
      let tail = Buffer.alloc(0);
      response.on('data', (part: Buffer) => {
        size += part.length;
        tail = Buffer.concat([tail, part]).subarray(-200);
      });
      response.on('error', () => resolve('broken off'));
      response.on('end', () => resolve(wordFor(response, size, tail.toString())));
    });
  });
  return { word, took: performance.now() - begin };
}

function wordFor({ statusCode, headers }: http.IncomingMessage, size: number, tail: string): string {
  if (statusCode === 200) return size > PAGE_SIZE && tail.endsWith('"last":true}') ? '200' : '200, not whole';
  if (statusCode === 503) return headers['retry-after'] === undefined ? '503 without Retry-After' : '503';
  return String(statusCode);
}

/** One page after the other on a connection of its own; what is under way at the end is waited for. */
async function readUntil(end: number, url: string, owner: Owner): Promise<PageReply[]> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const replies: PageReply[] = [];
  while (performance.now() < end) replies.push(await readPage(url, owner, agent));
  agent.destroy();
  return replies;
}

/** Connections that ask for the page and never read it; as often as the service may close them there are new ones. */
class SilentReaders {
  private sockets: net.Socket[] = [];
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly url: string,
    private readonly owner: Owner,
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
    this.sockets = Array.from({ length: NEVER_READING }, () => {
      const socket = dial(this.url).pause();
      socket.write(pageRequest(this.owner));
      return socket;
    });
  }
}

function answersAreRight(alone: PageReply, replies: readonly PageReply[]): Criterion[] {
  const strange = replies.filter(({ word }) => word !== '200' && word !== '503');
  const slowest = highest(replies.map(({ took }) => took));
  const words = tally(replies.map(({ word }) => word));
  return [
    criterion(
      'alone the page is 200, and whole',
      alone.word === '200',
      `${alone.word} in ${time(alone.took)}`,
    ),
    criterion(
      'every answer is 200 and whole, or 503 with Retry-After',
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
