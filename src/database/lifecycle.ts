import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { type Logger, LOGGER } from '../config/logger.js';
import { Settings } from '../config/env.js';
import { Changes } from './changes.js';
import { Database } from './database.js';
import { remedyFor, unavailability } from './errors.js';
import { forgetKeys } from './idempotency-keys.js';
import { bringUpToDate } from './migrate.js';

const PAUSE = 500; // milliseconds
const CLEANING_INTERVAL = 60_000; // milliseconds

/**
 * Waits for the database in the background, and migrates it; the service listens meanwhile. Later the pool heals itself,
 * and old keys and deletions are forgotten each minute: by every instance, which costs the others nothing. A pooler of
 * another mode than the settings say makes it wait again.
 */
@Injectable()
export class DatabaseLifecycle implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();
  private lastReason: string | undefined;

  constructor(
    private readonly database: Database,
    private readonly changes: Changes,
    private readonly dataSource: DataSource,
    private readonly settings: Settings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.running = this.run();
  }

  async onModuleDestroy(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    let cleaning = performance.now() + CLEANING_INTERVAL;
    do {
      if (!this.database.ready) await this.open();
      if (performance.now() < cleaning) continue;
      const forgotten = [forgetKeys(this.database), this.changes.forget()];
      const more = await Promise.all(forgotten).catch(() => [false]); // the next round does it
      cleaning = performance.now() + (more.includes(true) ? 0 : CLEANING_INTERVAL);
    } while (await sleep(PAUSE, true, { signal }).catch(() => false));
  }

  private async open(): Promise<void> {
    try {
      const migrations = await bringUpToDate(this.dataSource, this.settings.database.migrate);
      await this.database.open();
      this.logger.info({ migrations }, 'the database is ready');
      this.lastReason = undefined;
    } catch (error) {
      const outage = unavailability(error);
      const [reason, remedy] = outage === undefined ? ['migration-failed'] : [outage, remedyFor(outage)];
      const facts = { reason, remedy, err: error };
      if (reason !== this.lastReason) this.logger.warn(facts, 'the database is not usable; retrying');
      this.lastReason = reason;
    }
  }
}
