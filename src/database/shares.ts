import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../config/settings.js';
import { serviceUnavailable } from '../http/problem/problem.js';
import { Lines, type Release } from '../http/edge/lines.js';
import { Semaphore } from '../http/edge/semaphore.js';

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

const CONNECTIONS = 'Your other requests take all database connections that one account may have at once.';
const EXPORTS = 'Your last export is still under way.';
const IMPORTS = 'Your import is still under way.';

/** The bounds on each account, so that it cannot take the service from the others. */
@Injectable()
export class Shares {
  private readonly connections: Lines;
  private readonly exports: Lines;
  private readonly allExports: Semaphore;
  private readonly imports: Lines;

  constructor(
    @Inject(SETTINGS) { database: { poolSize, poolShare, acquireTimeout } }: Pick<Settings, 'database'>,
  ) {
    this.connections = new Lines(poolShare, acquireTimeout, CONNECTIONS);
    this.exports = new Lines(1, acquireTimeout, EXPORTS);
    this.allExports = new Semaphore(Math.max(1, Math.floor(poolSize / 2)), acquireTimeout);
    this.imports = new Lines(1, acquireTimeout, IMPORTS);
  }

  /** Before a connection is taken from the pool. Throws too-many-requests. */
  async connection(account: Account): Promise<Release> {
    return account === NOBODY || account === AUTHENTICATION ? free : this.connections.take(account);
  }

  /**
   * One export at a time, and those of all accounts in half of the pool, because each holds a connection for as long as
   * its client reads. Throws too-many-requests, or service-unavailable because of the others.
   */
  async export(account: Account): Promise<Release> {
    const leave = await this.exports.take(account);
    if (await this.allExports.take())
      return () => {
        this.allExports.leave();
        leave();
      };
    leave();
    throw serviceUnavailable('Too many exports are under way.');
  }

  /** One import at a time; the account's other writes wait for it meanwhile. Throws too-many-requests. */
  async import(account: Account): Promise<Release> {
    return this.imports.take(account);
  }

  /** Waits for the account's import: in the database a write would wait for the same, with a connection in hand. */
  async write(account: Account): Promise<void> {
    if (this.imports.has(account)) (await this.imports.take(account))();
  }
}

function free(): void {
  // nothing was taken
}
