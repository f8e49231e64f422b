import { type Command, InvalidArgumentError, Option as Flag } from 'commander';

/** The command line asks for something that does not exist. */
export class UsageError extends Error {}

/** An option's argument (a flag has none), its purpose, its default and the meaning of its text. */
export interface Option<T> {
  readonly argument?: string;
  readonly about: string;
  readonly byDefault: T;
  readonly read?: (text: string) => T;
}

export type Options = Readonly<Record<string, Option<unknown>>>;

export type ValuesOf<O extends Options> = {
  readonly [Name in keyof O]: O[Name] extends Option<infer T> ? T : never;
};

const LARGEST = 2 ** 31 - 1;

export const flag = (about: string): Option<boolean> => ({ about, byDefault: false });

export function text(argument: string, about: string): Option<string | undefined> {
  return { argument, about, byDefault: undefined };
}

/** Texts with commas between them, of the known ones if there are such; by default none, which means all. */
export function list(argument: string, about: string, known?: readonly string[]): Option<readonly string[]> {
  const read = (value: string): string[] => {
    const names = value.split(',');
    if (names.every((name) => known?.includes(name) ?? true)) return names;
    throw new InvalidArgumentError(`There are ${known?.join(', ')}.`);
  };
  return { argument: `${argument},...`, about, byDefault: [], read };
}

export function wholeNumber(about: string, byDefault: number, least = 1): Option<number> {
  return { argument: 'N', about, byDefault, read: wholeFrom(least) };
}

/** Whole numbers with commas between them. */
export function numbers(about: string, byDefault: readonly number[]): Option<readonly number[]> {
  return { argument: 'N,...', about, byDefault, read: (value) => value.split(',').map(wholeFrom(1)) };
}

function wholeFrom(least: number): (value: string) => number {
  return (value) => {
    const number = Number(value);
    if (value !== '' && Number.isInteger(number) && number >= least && number <= LARGEST) return number;
    throw new InvalidArgumentError(`It must be a whole number from ${least}.`);
  };
}

/** The values of the command line. Ends the process with 0 for --help, and with 2 for a wrong option. */
export function readOptions<O extends Options>(command: Command, options: O): ValuesOf<O> {
  for (const [name, { argument, about, byDefault, read }] of Object.entries(options)) {
    const option = new Flag(argument === undefined ? `--${name}` : `--${name} <${argument}>`, about);
    option.default(byDefault, Array.isArray(byDefault) ? byDefault.join() || 'all' : undefined);
    command.addOption(read === undefined ? option : option.argParser(read));
  }
  return command
    .usage('-- [options]')
    .option('--postgres <MAJOR>', 'on PostgreSQL 15, 16 or 17, which npm fetches (18)') // see scripts/on-postgres.mjs
    .configureHelp({ helpWidth: 120 })
    .showHelpAfterError('--help says more.')
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
    .parse()
    .opts<ValuesOf<O>>();
}
