import pg from 'pg';
import type { Wanted } from '../config/host-list.js';
import { serverName, serversOf } from './address.js';
import { READ_ONLY, unavailability } from './errors.js';

/** For how long a server that was of no use is left alone, and how long a pool waits for one that is; milliseconds. */
const PAUSE = 100;

/** One of the servers that a setting names. */
export interface Server {
  readonly url: string;
  /** Its address, for people. */
  readonly name: string;
}

interface Known extends Server {
  /** Why it was of no use when it was last tried, and when that was found. */
  trouble?: { readonly error: Error; readonly since: number } | undefined;
  /** Until then nobody else tries it. */
  shunnedUntil: number;
}

/**
 * A server can be reached, but is not what is wanted: a standby, or a primary that only reads, unless the code says
 * otherwise.
 */
export class UnwantedServerError extends Error {
  constructor(
    message: string,
    /** As PostgreSQL itself would say it at the first write. */
    readonly code: string = READ_ONLY,
  ) {
    super(message);
  }
}

const MISSED: Readonly<Record<Wanted, string>> = {
  any: 'no server can be reached',
  primary: 'no server is a primary',
  'read-write': 'no server takes writes',
  standby: 'no server is a standby',
};

/** None of several servers is of use. The message has what each said; never a user or a password. */
export class NoServerError extends AggregateError {
  constructor(servers: readonly Server[], errors: readonly Error[], wanted: Wanted) {
    const said = servers.map(({ name }, index) => `${name} ${reasonOf(errors[index])}`).join(', ');
    super(errors, `${MISSED[wanted]}: ${said}`);
  }
}

/** As a word of our own: the driver's text may hold anything. */
export function reasonOf(error: unknown): string {
  const { code } = error as { code?: string };
  return unavailability(error) ?? code ?? 'failed';
}

/**
 * To which of the servers a new connection goes: the one where the last one succeeded, then the others in their order.
 * One that was of no use is tried again by one connection at a time: else all that wait would, again and again, call at
 * a standby that is busy with becoming the primary. One server that need not be of any kind is always tried.
 */
export class Servers {
  readonly wanted: Wanted;
  /** Milliseconds for one server: all of them together have what one alone would have. */
  readonly connectTimeout: number;
  readonly all: readonly Server[];
  readonly #known: Known[];
  #last: Known | undefined;

  constructor(url: string, connectTimeout: number) {
    const { urls, wanted } = serversOf(url);
    this.wanted = wanted;
    this.connectTimeout = Math.ceil(connectTimeout / urls.length);
    this.#known = urls.map((one) => ({ url: one, name: serverName(one), shunnedUntil: 0 }));
    this.all = this.#known;
  }

  /** Whether there is a choice: then who finds no server may find one a moment later. */
  get isChoice(): boolean {
    return this.#known.length > 1 || this.wanted !== 'any';
  }

  /** Whether connections still go there. */
  isCurrent(server: Server | undefined): boolean {
    return this.#last === undefined || this.#last === server;
  }

  /** How long to wait before there is one to try; 0 when there is one. */
  get pause(): number {
    const first = Math.min(...this.#known.map(({ shunnedUntil }) => shunnedUntil));
    return Math.max(0, Math.min(PAUSE, first - performance.now()));
  }

  /** The server to try now, and nobody else tries it meanwhile if it is one that was of no use. */
  next(): Server | undefined {
    const now = performance.now();
    const since = ({ trouble }: Known): number => trouble?.since ?? 0;
    const [server] = this.#known
      .filter(({ shunnedUntil }) => shunnedUntil <= now)
      .sort((a, b) => since(a) - since(b) || Number(b === this.#last) - Number(a === this.#last));
    if (server?.trouble !== undefined) server.shunnedUntil = Infinity; // until the outcome is known
    return server;
  }

  succeeded(server: Server): void {
    const known = this.#known.find((one) => one === server);
    if (known === undefined) return;
    known.trouble = undefined;
    known.shunnedUntil = 0;
    this.#last = known;
  }

  /** Returns what to tell whoever wanted a connection: what each server said, where there is a choice among them. */
  failed(server: Server, error: Error): Error {
    const known = this.#known.find((one) => one === server);
    if (known === undefined || !this.isChoice) return error;
    const now = performance.now();
    if (isOfTheServer(error)) {
      known.trouble = { error, since: now };
      known.shunnedUntil = now + PAUSE;
      return this.none();
    }
    known.shunnedUntil = 0;
    return error;
  }

  /** What those servers said that were of no use. */
  none(): NoServerError {
    const useless = this.#known.filter(({ trouble }) => trouble !== undefined);
    useless.sort((a, b) => Number(b === this.#last) - Number(a === this.#last));
    return new NoServerError(
      useless,
      useless.map(({ trouble }) => trouble?.error ?? new Error('not tried')),
      this.wanted,
    );
  }
}

/** As with libpq: what PostgreSQL itself refuses, such as a password, the others would refuse as well. */
function isOfTheServer(error: Error): boolean {
  return !(error instanceof pg.DatabaseError) || error.code?.startsWith('57P0') === true;
}
