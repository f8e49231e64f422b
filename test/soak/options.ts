import { parseArgs } from 'node:util';
import { UsageError } from '../../bench/command.js';
import { type Course, lasting, SHORT } from './course.js';

export const HELP = `Usage: npm run test:soak -- [options]

Puts a mixed load on the service, one request in ten wrong in some way, and fails when the service holds more memory,
descriptors, connections or metric series at the end than soon after the start. See docs/reliability.md.

  --minutes N   how long the load lasts (30)
  --rate N      requests per second (100)
  --short       about a minute in all
  --json FILE   write every sample there
  --help, -h    this

Example: npm run test:soak -- --minutes 5

Exit codes: 0 nothing grew, 1 something did, or it failed, 2 called wrongly, 130 interrupted.
`;

export interface Options {
  readonly course: Course;
  readonly json: string | undefined;
}

/** Undefined for `--help`. Throws {@link UsageError}. */
export function readOptions(args: string[]): Options | undefined {
  const { help, short, minutes, rate, json } = parse(args);
  if (help) return undefined;
  if (short) return { course: SHORT, json };
  return { course: lasting(positive('minutes', minutes), positive('rate', rate)), json };
}

function parse(args: string[]) {
  const flag = { type: 'boolean', default: false } as const;
  const help = { ...flag, short: 'h' } as const;
  const minutes = { type: 'string', default: '30' } as const;
  const rate = { type: 'string', default: '100' } as const;
  const options = { minutes, rate, short: flag, json: { type: 'string' }, help } as const;
  try {
    return parseArgs({ args, options }).values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value) || value <= 0) throw new UsageError(`--${name} must be a number above 0`);
  return value;
}
