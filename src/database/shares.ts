import { Injectable } from '@nestjs/common';
import { Settings } from '../config/env.js';
import { ShareTaken, Unavailable } from './errors.js';
import { Places, type Release, type Taker } from '../common/concurrency/places.js';

/** The account whose share a statement takes of the connections, such as the caller. */
export type Account = Taker;

/** Milliseconds: until the place of an export with a slow reader is free, and some more. */
const EXPORT_WAIT = 25_000;

/** For statements before anybody is known, and for the service's own work. They have no bound but the pool. */
export const NOBODY: Account = { id: '' };
/** For looking up callers, on a connection of its own: a pool that is taken refuses nobody's token. */
export const AUTHENTICATION: Account = { id: 'authentication' };
/** For look-ups that requests of several accounts share. Together they have one share. */
export const SEVERAL: Account = { id: 'several' };

/** The bounds on each account, so that it cannot take the service from the others. */
@Injectable()
export class Shares {
  private readonly connections: Places;
  private readonly long: Places;
  /** One import or batch of an account at a time; its other writes wait for it. Otherwise too-many-requests. */
  readonly bulkWrites: Places;
  /** One page of changes of an account at a time, which reads all rows of an owner. Otherwise too-many-requests. */
  readonly changes: Places;
  /** One file of an account at a time, from its first byte on. Otherwise too-many-requests. */
  readonly uploads: Places;
  /** Files that are there, of all accounts. Otherwise service-unavailable. */
  readonly imports: Places;
  /** One export an account, and all exports in half of the pool: each holds a connection for as long as its client reads. */
  readonly exports: Places;

  constructor({ database, imports, shareTimeout }: Settings) {
    const { poolSize, poolShare = Math.max(1, Math.floor((poolSize * 2) / 3)) } = database;
    const share = Math.min(poolShare, poolSize);
    const half = Math.max(1, Math.floor(share / 2));
    const others = { after: EXPORT_WAIT, error: () => new Unavailable('Too many exports are running.') };
    const places = (own: number, what: string, all = Infinity): Places => {
      const error = (): ShareTaken => new ShareTaken(`Your ${what}.`);
      return new Places(all, own, { own: { after: shareTimeout, error }, others });
    };
    this.connections = places(share, 'other requests use all database connections that one account may have');
    this.long = places(half, 'other searches, reports and long lists are still running');
    this.bulkWrites = places(1, 'previous import or batch is still running');
    this.changes = places(1, 'previous page of changes is still being read');
    this.uploads = places(1, 'previous file is still being imported');
    const error = (): Unavailable => new Unavailable('Too many files are being imported.');
    const late = { after: database.acquireTimeout, error };
    this.imports = new Places(imports.concurrency, imports.concurrency, { own: late, others: late });
    this.exports = places(1, 'previous export is still running', Math.max(1, Math.floor(poolSize / 2)));
  }

  /** Long statements have half of the share: the short ones keep the rest. Throws too-many-requests. */
  async connection(account: Account, isLong: boolean): Promise<Release> {
    if (account === NOBODY || account === AUTHENTICATION) return () => undefined;
    if (!isLong) return await this.connections.take(account);
    const leaveLong = await this.long.take(account);
    try {
      const leave = await this.connections.take(account);
      return () => [leave, leaveLong].forEach((release) => release());
    } catch (error) {
      leaveLong();
      throw error;
    }
  }

  /** Waits for the account's bulk write: in the database a write would wait for the same, with a connection in hand. */
  async write(account: Account): Promise<void> {
    if (this.bulkWrites.has(account)) (await this.bulkWrites.take(account))();
  }
}
