import { Counter, type Registry } from 'prom-client';
import type { LogListener } from '../../config/logger.js';

/** pino's level → Logback's, which knows no fatal one. */
const LEVELS: Readonly<Record<string, string>> = {
  fatal: 'error',
  error: 'error',
  warn: 'warn',
  info: 'info',
  debug: 'debug',
  trace: 'trace',
};

/** Counts log lines from the first on: the logger is there before the application that has the registry. */
export class LogMetrics {
  readonly listener: LogListener;
  private readonly events = new Counter({
    name: 'logback_events_total',
    help: 'Lines written to the log, by level; fatal ones count as error.',
    labelNames: ['level'],
    registers: [],
  });

  constructor() {
    for (const level of Object.values(LEVELS)) this.events.inc({ level }, 0);
    this.listener = (level) => {
      const name = LEVELS[level];
      if (name !== undefined) this.events.inc({ level: name });
    };
  }

  register(registry: Registry): void {
    registry.registerMetric(this.events);
  }
}
