import { type Command, CommanderError, Option as Flag } from 'commander';

/** The command line cannot be understood, or asks for what there is not. */
export class UsageError extends Error {}

/** An option's argument, its purpose, and the meaning of its text. */
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

export const flag = (about: string): Option<boolean> => ({ about, read: (text) => text !== undefined });

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

export function numberAbove0(about: string, byDefault: number): Option<number> {
  const read = (value: string | undefined, name: string): number => {
    const number = Number(value ?? byDefault);
    if (!Number.isFinite(number) || number <= 0) throw new UsageError(`--${name} must be a number above 0`);
    return number;
  };
  return { argument: 'N', about: `${about} (${byDefault})`, read };
}

/** The values of the command line; undefined when it asked for help, which is printed. Throws {@link UsageError}. */
export function readOptions<O extends Options>(command: Command, options: O): ValuesOf<O> | undefined {
  command
    .usage('-- [options]')
    .exitOverride()
    .configureHelp({ helpWidth: 120 })
    .configureOutput({ writeErr: () => undefined });
  for (const [name, { argument, about }] of Object.entries(options)) {
    const flags = argument === undefined ? `--${name}` : `--${name} <${argument}>`;
    command.option(flags, about);
  }
  // scripts/on-postgres.mjs has taken it by then.
  command.option('--postgres <MAJOR>', 'on PostgreSQL 15, 16 or 17, which npm fetches (18)');
  try {
    command.parse();
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
