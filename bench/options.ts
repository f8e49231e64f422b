import { parseArgs } from 'node:util';

/** The command line cannot be understood, or asks for what there is not. */
export class UsageError extends Error {}

/** What an option is called with, what it is for, and what its text means. */
export interface Option<T> {
  /** Undefined for a flag. */
  readonly argument?: string;
  /** Undefined for an option that only the command itself uses. */
  readonly about?: string;
  /** `text` is undefined when the option is not given. Throws {@link UsageError}. */
  readonly read: (text: string | undefined, name: string) => T;
}

export type Options = Readonly<Record<string, Option<unknown>>>;

export type ValuesOf<O extends Options> = {
  readonly [Name in keyof O]: O[Name] extends Option<infer T> ? T : never;
};

const HELP_WIDTH = 120;
const LARGEST = 2 ** 31 - 1;

export function flag(about: string): Option<boolean> {
  return { about, read: (text) => text !== undefined };
}

export function text(argument: string, about: string): Option<string | undefined> {
  return { argument, about, read: (value) => value };
}

/** Not in the help. */
export function internal(): Option<string | undefined> {
  return { argument: 'TEXT', read: (value) => value };
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

/** What the command line says; undefined when it asks for help. Throws {@link UsageError}. */
export function readOptions<O extends Options>(options: O, args: string[]): ValuesOf<O> | undefined {
  const config = Object.entries(options).map(
    ([name, { argument }]) => [name, { type: argument === undefined ? 'boolean' : 'string' }] as const,
  );
  const given = parse(args, Object.fromEntries(config));
  if (given['help'] !== undefined) return undefined;
  const values = Object.entries(options).map(([name, { read }]) => {
    const value = given[name];
    return [name, read(value?.toString(), name)];
  });
  return Object.fromEntries(values) as ValuesOf<O>;
}

function parse(
  args: string[],
  options: Record<string, { type: 'boolean' | 'string' }>,
): Readonly<Record<string, string | boolean | undefined>> {
  try {
    return parseArgs({ args, options: { ...options, help: { type: 'boolean', short: 'h' } } }).values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** One paragraph for each option, with the descriptions one below the other. */
export function describeOptions(options: Options): string {
  const shown = Object.entries(options).flatMap(([name, { argument, about }]) =>
    about === undefined ? [] : [[`--${name}${argument === undefined ? '' : ` ${argument}`}`, about] as const],
  );
  const all = [
    ...shown,
    // scripts/on-postgres.mjs has taken it by then
    [
      '--postgres MAJOR',
      'on PostgreSQL 15, 16 or 17, which npm fetches, or 18, which is installed (18)',
    ] as const,
    ['--help, -h', 'this'] as const,
  ];
  const width = Math.max(...all.map(([call]) => call.length)) + 2;
  return all
    .map(([call, about]) => `  ${call.padEnd(width)}${wrap(about, HELP_WIDTH - width - 2, width + 2)}\n`)
    .join('');
}

/** `text` in lines of at most this width, those after the first indented. */
export function wrap(text: string, width: number, indent = 0): string {
  const [lines, last] = text
    .split(' ')
    .reduce<[string[], string]>(
      ([done, line], word) =>
        line !== '' && `${line} ${word}`.length > width
          ? [[...done, line], word]
          : [done, line === '' ? word : `${line} ${word}`],
      [[], ''],
    );
  return [...lines, last].join(`\n${' '.repeat(indent)}`);
}
