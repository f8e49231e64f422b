import { Injectable } from '@nestjs/common';
import { Counter, Registry } from 'prom-client';
import { LogCounts } from '../../config/logger.js';

/** pino's level → Logback's, which knows no fatal one. */
const LEVELS: Readonly<Record<string, string>> = {
  fatal: 'error',
  error: 'error',
  warn: 'warn',
  info: 'info',
  debug: 'debug',
  trace: 'trace',
};

@Injectable()
export class LogMetrics {
  constructor(registry: Registry, counts: LogCounts) {
    new Counter({
      name: 'logback_events_total',
      help: 'Lines written to the log, by level; fatal ones count as error.',
      labelNames: ['level'],
      registers: [registry],
      collect() {
        this.reset();
        for (const [level, name] of Object.entries(LEVELS)) this.inc({ level: name }, counts.of(level));
      },
    });
  }
}
