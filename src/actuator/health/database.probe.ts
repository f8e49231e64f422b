import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { type Logger, LOGGER } from '../../config/logger.js';
import { Settings } from '../../config/env.js';
import { LedgerClient } from '../../database/client.js';
import { Database } from '../../database/database.js';
import { READ_ONLY, unavailability } from '../../database/errors.js';

const TIME_LIMIT = 900; // milliseconds, less than the second that probes wait by default

/** Detects a standby, whose transactions are read-only. */
export const VALIDATION_QUERY =
  "SELECT current_setting('server_version') AS version, current_setting('transaction_read_only') = 'on' AS \"readOnly\"";

/** The version of a database that can serve, else a reason code. */
export type ProbeResult = { readonly version: string } | { readonly reason: string };

/** Queries PostgreSQL on one connection of its own, because the pool may be exhausted; simultaneous callers share a query. */
@Injectable()
export class DatabaseProbe implements OnApplicationShutdown {
  private client: LedgerClient | undefined;
  private asking: Promise<ProbeResult> | undefined;
  private lastReason: string | undefined;

  constructor(
    private readonly database: Database,
    private readonly settings: Settings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async ask(): Promise<ProbeResult> {
    this.asking ??= this.find().finally(() => (this.asking = undefined));
    return this.asking;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.asking;
    await this.client?.end();
  }

  private async find(): Promise<ProbeResult> {
    const late = AbortSignal.timeout(TIME_LIMIT);
    late.onabort = () => this.drop(); // fails the query under way
    try {
      const version = await this.version();
      if (!this.database.ready) {
        this.drop(); // a pooler may have no other for the start
        return { reason: 'starting' };
      }
      this.log(undefined);
      return { version };
    } catch (error) {
      this.drop();
      const reason = late.aborted ? 'timeout' : (unavailability(error) ?? 'failed');
      this.log(reason);
      return { reason };
    } finally {
      late.onabort = null;
    }
  }

  /** A connection kept from before may be broken, or lead to a standby: then a new one decides. */
  private async version(): Promise<string> {
    const kept = this.client;
    if (kept !== undefined)
      try {
        return await versionBy(kept);
      } catch (error) {
        if (this.client === undefined) throw error; // dropped when the time was over
        this.drop();
      }
    const client = new LedgerClient({
      connectionString: this.settings.database.url,
      keepAlive: true,
      application_name: 'property-finance health',
    });
    this.client = client;
    await client.connect();
    return versionBy(client);
  }

  private drop(): void {
    this.client?.destroy();
    this.client = undefined;
  }

  /** Changes alone, since probes come every few seconds; DatabaseLifecycle logs the start. */
  private log(reason: string | undefined): void {
    if (!this.database.ready || reason === this.lastReason) return;
    this.lastReason = reason;
    if (reason === undefined) this.logger.info('the database answers the health check again');
    else this.logger.warn({ reason }, 'the database does not answer the health check');
  }
}

async function versionBy(client: LedgerClient): Promise<string> {
  const { rows } = await client.query<{ version: string; readOnly: boolean }>(VALIDATION_QUERY);
  if (rows[0]?.readOnly === true) throw Object.assign(new Error('it only reads'), { code: READ_ONLY });
  return rows[0]?.version ?? '';
}
