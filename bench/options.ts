import { Command, CommanderError, Option as Flag } from 'commander';

/** The command line cannot be understood, or asks for what there is not. */
export class UsageError extends Error {}

/** What an option is called with, what it is for, and what its text means. */
export interface Option<T> {
  /** Undefined for a flag. */
  readonly argument?: string;
  readonly about: string;
  /** `text` is undefined when the option is not given. Throws {@link UsageError}. */
  readonly read: (text: string | undefined, name: string) => T;
}

export type Options = Readonly<Record<string, Option<unknown>>>;

export type ValuesOf<O extends Options> = {
  readonly [Name in keyof O]: O[Name] extends Option<infer T> ? T : never;
};

const LARGEST = 2 ** 31 - 1;

export function flag(about: string): Option<boolean> {
  return { about, read: (text) => text !== undefined };
}

export function text(argument: string, about: string): Option<string | undefined> {
  return { argument, about, read: (value) => value };
}

/** Texts with commas between them; by default none. */
export function list(argument: string, about: string): Option<readonly string[]> {
  return { argument: `${argument},...`, about, read: (value) => value?.split(',') ?? [] };
}

export function wholeNumber(about: string, byDefault: number, least = 1): Option<number> {
  return { argument: 'N', about: `${about} (${byDefault})`, read: wholeNumberReader(byDefault, least) };
}

export function wholeNumberReader(byDefault: number, least = 1): Option<number>['read'] {
  return (value, name) => {
    const number = Number(value ?? byDefault);
    if (value === '' || !Number.isInteger(number) || number < least || number > LARGEST)
      throw new UsageError(`--${name} must be a whole number from ${least}`);
    return number;
  };
}

export function wholeNumbers(about: string, byDefault: readonly number[]): Option<readonly number[]> {
  return {
    argument: 'N,...',
    about: `${about} (${byDefault.join(',')})`,
    read: (value, name) => value?.split(',').map((part) => wholeNumberReader(1)(part, name)) ?? byDefault,
  };
}

export function numberAbove0(about: string, byDefault: number): Option<number> {
  return {
    argument: 'N',
    about: `${about} (${byDefault})`,
    read: (value, name) => {
      const number = Number(value ?? byDefault);
      if (!Number.isFinite(number) || number <= 0) throw new UsageError(`--${name} must be a number above 0`);
      return number;
    },
  };
}

/** A command line that commander reads and describes. */
export function commandOf(call: string, about: string, options: Options): Command {
  const command = new Command(call).description(about).usage('-- [options]').exitOverride();
  command
    .configureHelp({ helpWidth: 120 })
    .configureOutput({ writeErr: () => undefined, writeOut: () => undefined });
  for (const [name, { argument, about: text }] of Object.entries(options)) {
    const flags = argument === undefined ? `--${name}` : `--${name} <${argument}>`;
    command.addOption(new Flag(flags, text));
  }
  // scripts/on-postgres.mjs has taken it by then
  return command.addOption(
    new Flag('--postgres <MAJOR>', 'on PostgreSQL 15, 16 or 17, which npm fetches (18)'),
  );
}

/** The values of the command line; undefined when it asks for help. Throws {@link UsageError}. */
export function readOptions<O extends Options>(
  command: Command,
  options: O,
  args: readonly string[],
): ValuesOf<O> | undefined {
  try {
    command.parse(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === 'commander.helpDisplayed') return undefined;
    throw new UsageError(error.message.replace(/^error: /, ''));
  }
  const given = command.opts<Record<string, string | true | undefined>>();
  const values = Object.entries(options).map(([name, { read }]) => {
    const value = given[new Flag(`--${name}`).attributeName()];
    return [name, read(value?.toString(), name)];
  });
  return Object.fromEntries(values) as ValuesOf<O>;
}
