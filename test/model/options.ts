import { parseArgs } from 'node:util';

export const HELP = `Usage: npm run test:model -- [options]

Sends random calls to the service and compares each answer with what the contract says. The same seed sends the same.

  --calls N     at least so many calls (200000)
  --seed N      of the random numbers (by default another one each time)
  --clients N   so many clients at once: what they see is checked for lost updates, and what is left behind for
                orphans and wrong totals (1: one after the other, every answer foretold)
  --help, -h    this

Example: npm run test:model -- --calls 90000 --clients 8 --seed 7

Exit codes: 0 nothing was found, 1 something was, or it failed, 2 called wrongly, 130 interrupted.
`;

export interface Options {
  readonly calls: number;
  readonly seed: number;
  readonly clients: number;
}

/** The command line cannot be understood. */
export class UsageError extends Error {}

/** Undefined for `--help`. Throws {@link UsageError}. */
export function readOptions(args: string[], defaultSeed: number): Options | undefined {
  const values = parse(args);
  if (values.help) return undefined;
  return {
    calls: number('calls', values.calls ?? '200000'),
    seed: number('seed', values.seed ?? String(defaultSeed)),
    clients: number('clients', values.clients ?? '1'),
  };
}

function parse(args: string[]) {
  const text = { type: 'string' } as const;
  const options = {
    calls: text,
    seed: text,
    clients: text,
    help: { type: 'boolean', short: 'h', default: false },
  } as const;
  try {
    return parseArgs({ args, options }).values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function number(name: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > 2 ** 31 - 1)
    throw new UsageError(`--${name} must be a whole number of at least 1`);
  return value;
}
