import type { Writable } from 'node:stream';
import { type DestinationStream, type Logger, type LoggerOptions, pino } from 'pino';
import { Counter, Registry } from 'prom-client';
import type { Settings } from './env.js';

export type { Logger } from 'pino';

/** The injection token of the process's logger. */
export const LOGGER = Symbol('logger');

/** Logback's levels, which dashboards know; it has no fatal one. */
const LOGBACK_LEVELS = ['error', 'warn', 'info', 'debug', 'trace'];

/** The one logger of the process: JSON lines on standard output. No header, body or token is ever given to it. */
export function createLogger(
  settings: Pick<Settings, 'logLevel' | 'applicationName'>,
  registry = new Registry(),
): Logger {
  const lines = new Counter({
    name: 'logback_events_total',
    help: 'Lines written to the log, by level; fatal ones count as error.',
    labelNames: ['level'],
    registers: [registry],
  });
  for (const level of LOGBACK_LEVELS) lines.inc({ level }, 0);
  const options: LoggerOptions = {
    level: settings.logLevel,
    base: { application: settings.applicationName },
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: describeError },
    formatters: { level: (label) => ({ level: label }) },
    hooks: {
      logMethod(args, method, level) {
        const label = pino.levels.labels[level] ?? '';
        lines.inc({ level: LOGBACK_LEVELS.includes(label) ? label : 'error' });
        method.apply(this, args);
      },
    },
  };
  return pino(options, boundedOutput(process.stdout));
}

/** Drops lines while a megabyte is unread, and all once the reader has gone. pino's own bound would hold up the exit. */
export function boundedOutput(stream: Writable, maxUnread = 1024 * 1024): DestinationStream {
  // The stream is the process's own: one listener is enough for all loggers.
  if (stream.listenerCount('error') === 0) stream.on('error', () => undefined);
  return {
    write: (line) => {
      if (stream.writableLength + line.length <= maxUnread) stream.write(line);
    },
  };
}

/** No other property of an error: those of the database's hold the row, and TypeORM's every parameter. */
function describeError(error: unknown): Record<string, unknown> {
  if (typeof error !== 'object' || error === null) return { message: String(error) };
  const { name, message, code, stack } = error as Partial<NodeJS.ErrnoException>;
  return { type: name, message, code, stack };
}
