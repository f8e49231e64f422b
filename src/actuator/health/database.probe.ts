import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Logger } from '../../config/logger.js';
import { LOGGER, SETTINGS, type Settings } from '../../config/settings.js';
import { LedgerClient } from '../../database/client.js';
import { Database } from '../../database/database.js';
import { unavailability } from '../../database/errors.js';

/** Less than the second that a prober waits by default, so that it still hears the answer. */
const TIME_LIMIT = 900;

/** A standby's transactions are read-only, too. */
export const VALIDATION_QUERY =
  "SELECT current_setting('server_version') AS version, current_setting('transaction_read_only') = 'on' AS \"readOnly\"";

/** The version of a database that can serve; else a word of our own why it cannot. */
export type ProbeResult = { readonly version: string } | { readonly reason: string };

/**
 * Asks PostgreSQL on a connection of its own: the pool may be exhausted while the database is well. There is never
 * more than one such connection, and whoever asks meanwhile gets the answer to the question under way.
 */
@Injectable()
export class DatabaseProbe implements OnApplicationShutdown {
  private connection: Connection | undefined;
  private asking: Promise<ProbeResult> | undefined;
  private lastReason: string | undefined;

  constructor(
    private readonly database: Database,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'database'>,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async ask(): Promise<ProbeResult> {
    this.asking ??= this.find().finally(() => (this.asking = undefined));
    return this.asking;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.asking;
    await this.connection?.end();
  }

  private async find(): Promise<ProbeResult> {
    try {
      const version = await this.version();
      if (!this.database.ready) {
        this.drop(); // a pooler may have no other for the start
        return { reason: 'starting' };
      }
      this.tell(undefined);
      return { version };
    } catch (error) {
      this.drop();
      const reason = reasonOf(error);
      this.tell(reason);
      return { reason };
    }
  }

  /** A connection that was kept may have broken unnoticed, or lead to a standby by now: then a new one has the say. */
  private async version(): Promise<string> {
    const end = performance.now() + TIME_LIMIT;
    if (this.connection !== undefined) {
      try {
        return await this.connection.version(end);
      } catch (error) {
        if (error instanceof TimeLimitError) throw error;
        this.drop();
      }
    }
    this.connection = new Connection(this.settings.database.url);
    return this.connection.version(end);
  }

  private drop(): void {
    this.connection?.destroy();
    this.connection = undefined;
  }

  /** Only when it changes, because probes come every few seconds; and the start is told by who waits for it. */
  private tell(reason: string | undefined): void {
    if (!this.database.ready || reason === this.lastReason) return;
    this.lastReason = reason;
    if (reason === undefined) this.logger.info('the database answers the health check again');
    else this.logger.warn({ reason }, 'the database does not answer the health check');
  }
}

class TimeLimitError extends Error {}
class ReadOnlyError extends Error {}

function reasonOf(error: unknown): string {
  if (error instanceof TimeLimitError) return 'timeout';
  if (error instanceof ReadOnlyError) return 'read-only';
  return unavailability(error) ?? 'failed';
}

/** A connection that can be dropped at any moment, also while it is being opened. */
class Connection {
  private readonly client: LedgerClient;
  private readonly opened: Promise<unknown>;

  constructor(connectionString: string) {
    this.client = new LedgerClient({
      connectionString,
      connectionTimeoutMillis: TIME_LIMIT,
      keepAlive: true,
      application_name: 'property-finance health',
    });
    this.opened = this.client.connect();
    this.opened.catch(() => undefined); // the question finds out
  }

  /** Throws a {@link TimeLimitError} when the time has come to `end`, and a {@link ReadOnlyError}. */
  async version(end: number): Promise<string> {
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new TimeLimitError()), end - performance.now());
    });
    return Promise.race([this.query(), limit]).finally(() => clearTimeout(timer));
  }

  private async query(): Promise<string> {
    await this.opened;
    const { rows } = await this.client.query<{ version: string; readOnly: boolean }>(VALIDATION_QUERY);
    if (rows[0]?.readOnly === true) throw new ReadOnlyError();
    return rows[0]?.version ?? '';
  }

  destroy(): void {
    this.client.destroy();
  }

  async end(): Promise<void> {
    await this.client.end();
  }
}
