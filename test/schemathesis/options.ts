import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { UsageError } from '../../bench/command.js';

export const HELP = `Usage: npm run fuzz:schemathesis -- [options]

Lets Schemathesis judge the service by its API document, as a USER and as an ADMIN: it sends what openapi.json allows
and what it forbids, follows its links, and fails when an answer is not what the document says. Takes two to three
minutes. Python 3.11 or newer has to be there; what else is needed is installed into node_modules/.cache.

  --short         fewer test cases: less than a minute
  --examples N    test cases per operation, beside those that do not depend on chance (60)
  --seed N        of what depends on chance (1), or "random"
  --report DIR    where the reports go (node_modules/.cache/schemathesis/report)
  --help, -h      this

Example: npm run fuzz:schemathesis -- --examples 500 --seed random

Exit codes: 0 nothing was found, 1 something was, or it failed, 2 called wrongly, 130 interrupted.
`;

const EXAMPLES = 60;
const SHORT = 10;

export interface Options {
  readonly examples: number;
  readonly seed: number;
  readonly report: string | undefined;
}

/** Undefined for `--help`. Throws {@link UsageError}. */
export function readOptions(args: string[]): Options | undefined {
  const { help, short, examples, seed, report } = parse(args);
  if (help) return undefined;
  return {
    examples: examples === undefined ? (short ? SHORT : EXAMPLES) : natural('examples', examples, 1),
    seed: seed === 'random' ? randomInt(2 ** 32) : natural('seed', seed, 0),
    report,
  };
}

function parse(args: string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean', default: false } as const;
  const seed = { type: 'string', default: '1' } as const;
  const options = { short: flag, examples: text, seed, report: text, help: { ...flag, short: 'h' } } as const;
  try {
    return parseArgs({ args, options }).values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function natural(name: string, text: string, least: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < least)
    throw new UsageError(`--${name} must be a whole number from ${least}`);
  return value;
}
