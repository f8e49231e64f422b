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
    this.asking ??= this.find()
      .then((found) => this.logged(found))
      .finally(() => (this.asking = undefined));
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
      const version = await this.version(late);
      if (this.database.ready) return { version };
      this.drop(); // a pooler may have no other for the start
      return { reason: 'starting' };
    } catch (error) {
      this.drop();
      return { reason: late.aborted ? 'timeout' : (unavailability(error) ?? 'failed') };
    } finally {
      late.onabort = null;
    }
  }

  /** A connection kept from before may be broken, or lead to a standby: then a new one decides. */
  private async version(late: AbortSignal): Promise<string> {
    const version = this.client && (await versionBy(this.client).catch(() => undefined));
    if (version !== undefined) return version;
    late.throwIfAborted();
    this.drop();
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
  private logged(found: ProbeResult): ProbeResult {
    const reason = 'reason' in found ? found.reason : undefined;
    if (!this.database.ready || reason === this.lastReason) return found;
    this.lastReason = reason;
    if (reason === undefined) this.logger.info('the database answers the health check again');
    else this.logger.warn({ reason }, 'the database does not answer the health check');
    return found;
  }
}

async function versionBy(client: LedgerClient): Promise<string> {
  const { rows } = await client.query<{ version: string; readOnly: boolean }>(VALIDATION_QUERY);
  if (rows[0]?.readOnly === true) throw Object.assign(new Error('it only reads'), { code: READ_ONLY });
  return rows[0]?.version ?? '';
}
