import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../config/settings.js';
import { ProblemError } from '../common/problems/problem.js';
import { Lines } from '../common/concurrency/lines.js';
import { type Release, Semaphore } from '../common/concurrency/semaphore.js';

/** The account whose share a statement takes of the connections, such as the caller. */
export interface Account {
  readonly id: string;
}

/** For statements before anybody is known, and for the service's own work. They have no bound but the pool. */
export const NOBODY: Account = { id: '' };
/** For looking up callers, on a connection of its own: a pool that is taken refuses nobody's token. */
export const AUTHENTICATION: Account = { id: 'authentication' };
/** For look-ups that requests of several accounts share. Together they have one share. */
export const SEVERAL: Account = { id: 'several' };

/** A page of a hundred of the longest texts has 12 MB, and several copies are in memory while it is read. */
const LONG_PAGES_AT_ONCE = 2;

/** The bounds on each account, so that it cannot take the service from the others. */
@Injectable()
export class Shares {
  private readonly connections: Lines;
  private readonly long: Lines;
  /** One import or batch of an account at a time; its other writes wait for it. Otherwise too-many-requests. */
  readonly bulkWrites: Lines;
  /**
   * One export of an account at a time, and those of all accounts in half of the pool, because each holds a connection for
   * as long as its client reads. Otherwise too-many-requests, or service-unavailable because of the others.
   */
  readonly exports: Lines;
  /** One long page of an account at a time. Otherwise too-many-requests, or service-unavailable because of the others. */
  readonly longPages: Lines;

  constructor(@Inject(SETTINGS) { database }: Pick<Settings, 'database'>) {
    const { poolSize, poolShare = Math.max(1, Math.floor((poolSize * 2) / 3)), acquireTimeout } = database;
    const share = Math.min(poolShare, poolSize);
    const half = Math.max(1, Math.floor(share / 2));
    const lines = (size: number, what: string, next?: Lines | Semaphore): Lines =>
      new Lines(size, acquireTimeout, () => new ProblemError('too-many-requests', `Your ${what}.`), next);
    const ofAll = (size: number, what: string): Semaphore =>
      new Semaphore(size, acquireTimeout, () => new ProblemError('service-unavailable', `Too many ${what}.`));
    const exportsAtOnce = ofAll(Math.max(1, Math.floor(poolSize / 2)), 'exports are running');
    const longPagesAtOnce = ofAll(LONG_PAGES_AT_ONCE, 'long pages are being read');
    this.connections = lines(share, 'other requests use all database connections that one account may have');
    this.long = lines(half, 'other searches, reports and long lists are still running', this.connections);
    this.bulkWrites = lines(1, 'previous import or batch is still running');
    this.exports = lines(1, 'previous export is still running', exportsAtOnce);
    this.longPages = lines(1, 'other long pages are still being read', longPagesAtOnce);
  }

  /**
   * Before a connection is taken from the pool. Long statements have half of the share: the account's short ones have the
   * rest, and other accounts the processors. Throws too-many-requests.
   */
  async connection(account: Account, isLong: boolean): Promise<Release> {
    if (account === NOBODY || account === AUTHENTICATION) return () => undefined;
    return (isLong ? this.long : this.connections).take(account);
  }

  /** Waits for the account's bulk write: in the database a write would wait for the same, with a connection in hand. */
  async write(account: Account): Promise<void> {
    if (this.bulkWrites.has(account)) (await this.bulkWrites.take(account))();
  }
}
