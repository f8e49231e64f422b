import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { Logger } from '../config/logger.js';
import { LOGGER, SETTINGS, type Settings } from '../config/settings.js';
import { Database } from './database.js';
import { remedyFor, unavailability } from './errors.js';
import { bringUpToDate } from './migrate.js';

const PAUSE = 500; // milliseconds

/** Waits for the database in the background, and migrates it; the service listens meanwhile. Later the pool heals itself. */
@Injectable()
export class DatabaseLifecycle implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly database: Database,
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
    while (!this.stopping.signal.aborted) {
      try {
        await this.prepare();
        return;
      } catch (error) {
        const outage = unavailability(error);
        const [reason, remedy] = outage === undefined ? ['migration-failed'] : [outage, remedyFor(outage)];
        const facts = { reason, remedy, err: error };
        if (reason !== lastReason) this.logger.warn(facts, 'the database is not usable yet; trying on');
        lastReason = reason;
      }
      await sleep(PAUSE, undefined, { signal: this.stopping.signal }).catch(() => undefined);
    }
  }

  private async prepare(): Promise<void> {
    const migrations = await bringUpToDate(this.settings.database);
    if (migrations === undefined)
      throw new Error('the schema is not current, and DB_MIGRATE is false: run "npm run cli -- db migrate"');
    await this.database.lookForCitus();
    this.database.ready = true;
    this.logger.info({ migrations }, 'the database is ready');
  }
}
