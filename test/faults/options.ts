import { parseArgs } from 'node:util';
import { UsageError } from '../../bench/command.js';
import type { FaultOptions } from './protocol.js';

export const HELP = `Usage: npm run test:faults -- [options]

Hurts the service and its database on purpose, each time with a PostgreSQL and a process of their own, and fails
when the service does not take it as docs/reliability.md says. Takes about a quarter of an hour.

  --only PROTOCOL,...   these protocols alone; a name that does not exist lists all
  --short               shorter times: about four minutes in all
  --again               run a protocol that misses a criterion a second time, which then counts: a machine that
                        is busy with something else misses what says nothing of the service
  --json FILE           write the results there as well
  --help, -h            this

Example: npm run test:faults -- --short --only crash

Exit codes: 0 every criterion is met, 1 one is missed, or it failed, 2 called wrongly, 130 interrupted.
`;

export interface Options extends FaultOptions {
  readonly only: readonly string[];
  readonly again: boolean;
  readonly json: string | undefined;
}

/** Undefined for `--help`. Throws {@link UsageError}. */
export function readOptions(args: string[]): Options | undefined {
  const values = parse(args);
  if (values.help) return undefined;
  return {
    only: values.only === undefined ? [] : values.only.split(','),
    short: values.short,
    again: values.again,
    json: values.json,
    smallDisk: values['small-disk'],
  };
}

function parse(args: string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  const options = {
    only: text,
    short: flag,
    again: flag,
    json: text,
    'small-disk': text,
    help: { ...flag, short: 'h' },
  } as const;
  try {
    return parseArgs({ args, options }).values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}
