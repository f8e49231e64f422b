import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type pg from 'pg';
import { DataSource } from 'typeorm';
import type { Logger } from '../config/logger.js';
import { LOGGER, SETTINGS, type Settings } from '../config/settings.js';
import { citusOf } from './citus.js';
import { Database } from './database.js';
import { StartupParametersError, unavailability } from './errors.js';
import { bringUpToDate, MIGRATION_COUNT, SchemaNewerError } from './migrate.js';
import { Replica } from './replica.js';
import { isPooled, lookAtPooler, STARTUP_PARAMETERS_REMEDY } from './pooler.js';

const FIRST_PAUSE = 250;
const LONGEST_PAUSE = 2000;

/**
 * Brings the database up in the background, however long that takes: the service listens and answers its
 * liveness probe meanwhile. Once connected, the pool heals itself.
 */
@Injectable()
export class DatabaseLifecycle implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();
  private refuse: (reason: Error) => void = () => undefined;
  /** Resolves when the database is none that this service may work on, however long it waits. */
  readonly refusal = new Promise<Error>((resolve) => (this.refuse = resolve));

  constructor(
    private readonly dataSource: DataSource,
    private readonly database: Database,
    private readonly replica: Replica,
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.running = this.bringUp();
  }

  async onModuleDestroy(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async bringUp(): Promise<void> {
    let lastReason: string | undefined;
    for (let pause = FIRST_PAUSE; !this.stopping.signal.aborted; pause = Math.min(2 * pause, LONGEST_PAUSE)) {
      try {
        await this.prepare();
        return;
      } catch (error) {
        if (error instanceof SchemaNewerError) {
          this.logger.fatal({ unknown: error.unknown }, error.message);
          this.refuse(error);
          return;
        }
        const reason = unavailability(error) ?? 'migration-failed';
        const remedy = reason === 'startup-parameters' ? STARTUP_PARAMETERS_REMEDY : undefined;
        if (reason !== lastReason)
          this.logger.warn({ reason, remedy, err: error }, 'the database is not usable yet; trying on');
        lastReason = reason;
      }
      await sleep(pause, undefined, { signal: this.stopping.signal }).catch(() => undefined);
    }
  }

  private async prepare(): Promise<void> {
    const applied = await bringUpToDate(this.settings.database, (name, work) => this.timed(name, work));
    if (applied === undefined)
      throw new Error('the schema is not current, and DB_MIGRATE is false: run "npm run cli -- db migrate"');
    if (applied.length > 0) this.logger.info({ migrations: applied }, 'the schema was migrated');
    if (!this.dataSource.isInitialized) await this.dataSource.initialize();
    const pooler = await this.lookAround();
    this.database.ready = true;
    if (this.database.pool !== undefined) void this.replica.follow(this.database.pool);
    const migrations = { applied: MIGRATION_COUNT, justNow: applied.length };
    this.logger.info({ migrations, pooler }, 'the database is ready');
  }

  /** What there is between the service and its rows. Returns the mode of a pooler. */
  private async lookAround(): Promise<string | undefined> {
    const client = await this.database.pool?.connect();
    if (client === undefined) return undefined;
    try {
      this.database.isSpread = (await citusOf(client)) !== undefined;
      return await this.adaptToPooler(client);
    } finally {
      client.release();
    }
  }

  /** Returns in which mode it is. Throws where nothing would bind a statement that is answered 503. */
  private async adaptToPooler(client: pg.PoolClient): Promise<string | undefined> {
    const { database } = this.settings;
    if (!(await isPooled(client))) return undefined;
    if (database.startupParameters)
      throw new StartupParametersError('a pooler stands before PostgreSQL, and keeps the timeouts from it');
    const { mode, keepsStatements } = await lookAtPooler(client, database);
    if (!keepsStatements) this.database.stopPreparing();
    return mode;
  }

  private async timed(migration: string, work: () => Promise<void>): Promise<void> {
    const start = performance.now();
    await work();
    const milliseconds = Math.round(performance.now() - start);
    this.logger.info({ migration, milliseconds }, 'a migration was applied');
  }
}
