import { getHeapStatistics } from 'node:v8';
import { Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { isRead } from '../common/access/access.guard.js';
import { ANYBODY, Places, type Release, type Taker } from '../common/concurrency/places.js';
import { ProblemError } from '../common/problems/problem.js';
import { Settings } from '../config/env.js';
import { giveBack, keep } from './exchange.js';
import { hasLongBody, readAheadOf } from './headers.js';

/** Bytes of heap for a request under way: a head of 16 KiB, and the objects that Fastify and Nest make of it. */
const HEAD = 16 * 1024;
/** Most bytes of heap for a byte of JSON: `[1],` takes 25. */
const VALUES = 25;

/** Without an account, and no longer than credentials: half of it holds as little as half a head, of which a connection has one. */
const isShort = ({ caller, raw }: FastifyRequest): boolean => caller === null && !hasLongBody(raw);

/**
 * Bytes. Anonymous callers share a part of them, a quarter of it for those with long bodies, which cannot keep others from
 * signing in. One account has at most a third of what others leave of the rest.
 */
class Bytes {
  private readonly anonymous: Places;
  private readonly long: Places;
  readonly accounts: Places;

  constructor(size: number, part: number, refusals: ConstructorParameters<typeof Places>[2]) {
    const [anonymous, rest] = [size * part, size * (1 - part)];
    this.anonymous = new Places((3 * anonymous) / 4, (3 * anonymous) / 4, refusals);
    this.long = new Places(anonymous / 4, anonymous / 4, refusals);
    this.accounts = new Places(rest, rest / 3, refusals);
  }

  of({ caller, raw }: FastifyRequest): Places {
    if (caller !== null) return this.accounts;
    return hasLongBody(raw) ? this.long : this.anonymous;
  }
}

/**
 * The bytes that clients make the process hold: on V8's heap the heads of requests and the values of their JSON, beside it
 * bodies, files, and responses that are not yet read. Input without room is read later; after too long a wait it is
 * too-many-requests when the account itself holds its share, or service-unavailable.
 */
@Injectable()
export class ClientMemory {
  private readonly heads: Bytes;
  private readonly values: Bytes;
  private readonly buffers: Bytes;
  /** Responses, or their first parts, that wait for room. */
  private readonly made: Bytes;

  constructor({ clientMemory, shareTimeout, database }: Settings) {
    const own = () =>
      new ProblemError('too-many-requests', 'Your other requests hold the memory that one account may have.');
    const others = () => new ProblemError('service-unavailable', 'Too many large requests are under way.');
    const refusals = {
      own: { after: shareTimeout, error: own },
      others: { after: database.acquireTimeout, error: others },
    };
    const heap = getHeapStatistics().heap_size_limit;
    this.heads = new Bytes(heap / 4, 1 / 2, refusals);
    this.values = new Bytes(heap / 4, 1 / 8, refusals);
    this.made = new Bytes(heap / 16, 1 / 8, refusals);
    this.buffers = new Bytes(clientMemory, 1 / 8, refusals);
  }

  /** Holds a head until the exchange is over. Nothing waits: the head is there already. One with a short body is held with that. */
  holdHead(request: FastifyRequest): void {
    if (!isShort(request)) this.keepHead(request);
  }

  private keepHead(request: FastifyRequest): void {
    const { caller, raw } = request;
    const release = this.heads.of(request).takeNow(caller ?? ANYBODY, HEAD + readAheadOf(raw));
    giveBack(request.exchange); // the room of its arrival
    keep(request, release);
  }

  /** Makes room for a body of so many bytes at most, reads it, and keeps the room that it takes until the exchange is over. */
  async holdBody(request: FastifyRequest, most: number, read: () => Promise<Buffer>): Promise<Buffer> {
    const [places, taker] = [this.buffers.of(request), request.caller ?? ANYBODY];
    const isSmall = isShort(request);
    const release = isSmall ? undefined : await places.take(taker, most);
    try {
      const bytes = await read();
      if (isSmall) this.keepHead(request);
      keep(request, places.takeNow(taker, bytes.length, true));
      return bytes;
    } finally {
      release?.();
    }
  }

  async holdValues(request: FastifyRequest, bytes: number): Promise<void> {
    const places = this.values.of(request);
    keep(request, await places.take(request.caller ?? ANYBODY, bytes * VALUES));
  }

  /**
   * Holds a response until the client has read it. A read that is answered already waits for room only where few do; the
   * outcome of a write is told even without room.
   */
  async holdResponse(request: FastifyRequest, bytes: number): Promise<void> {
    const [places, taker] = [this.buffers.of(request), request.caller ?? ANYBODY];
    const made = isRead(request) ? this.made.of(request).takeNow(taker, bytes) : undefined;
    const held = made ? await places.take(taker, bytes).finally(made) : places.takeNow(taker, bytes, true);
    keep(request, held);
  }

  /** Holds bytes of a file or an export until they are given back. */
  async hold(account: Taker, bytes: number): Promise<Release> {
    return this.buffers.accounts.take(account, bytes);
  }
}
