import { readFileSync } from 'node:fs';

export type Environment = Record<string, string | undefined>;

/** In the place of a secret whose file is there and tells nothing. */
export const UNREADABLE = Symbol('unreadable');

/** Secret files are often root's alone, and in the container the service is another user. */
const user = process.getuid === undefined ? '' : `, uid ${process.getuid()},`;
const FILE_REMEDIES: Readonly<Record<string, string>> = {
  ENOENT: 'there is none, correct the name',
  EACCES: `give the user that the service runs as${user} the right to read it, and to enter its folder`,
  EISDIR: 'it is a folder, name a file in it',
};

/** The message of an error begins with the variable, and says how to mend it. */
export function readSecretFile(variable: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    const remedy = FILE_REMEDIES[code] ?? 'name another';
    throw new Error(`${variable} names a file that cannot be read (${code}): ${remedy}`, { cause: error });
  }
}

/** Reads variables by name, and gathers what is wrong with them. A fault begins with the name, and holds no value. */
export class EnvironmentReader<Name extends string> {
  readonly faults: string[] = [];

  constructor(private readonly env: Environment) {}

  text(name: Name, fallback: string): string {
    return this.given(name) ?? fallback;
  }

  integer(name: Name, fallback: number, min: number, max: number): number {
    return this.parsed(name, String(fallback), (text) => {
      const value = /^-?\d{1,15}$/.test(text) ? Number(text) : NaN;
      if (value >= min && value <= max) return value;
      throw new Error(`must be a whole number from ${min} to ${max}`);
    });
  }

  flag(name: Name, fallback: boolean): boolean {
    return this.oneOf(name, ['true', 'false'], fallback ? 'true' : 'false') === 'true';
  }

  oneOf<T extends string>(name: Name, allowed: readonly T[], fallback: T): T {
    return this.parsed(name, fallback, (text) => {
      const found = allowed.find((value) => value === text.toLowerCase());
      if (found !== undefined) return found;
      throw new Error(`must be one of ${allowed.join(', ')}`);
    });
  }

  list(name: Name, parse: (text: string) => string): string[] {
    return this.parsed(name, '', (text) =>
      text
        .split(',')
        .map((item) => item.trim())
        .filter((item) => item !== '')
        .map(parse),
    );
  }

  parsed<T>(name: Name, fallback: string, parse: (text: string) => T): T {
    try {
      return parse(this.given(name) ?? fallback);
    } catch (error) {
      this.faults.push(`${name} ${(error as Error).message}`);
      return parse(fallback);
    }
  }

  /** The value itself, or the content of the file that the `…_FILE` variable names. */
  protected secret(name: Name, fileName: Name): string | undefined | typeof UNREADABLE {
    const file = this.given(fileName);
    if (file === undefined) return this.given(name);
    if (this.given(name) !== undefined)
      this.faults.push(`${fileName} is set beside ${name}: keep one of them`);
    try {
      return readSecretFile(fileName, file).replace(/\r?\n$/, '');
    } catch (error) {
      this.faults.push((error as Error).message);
      return UNREADABLE;
    }
  }

  /** A blank variable counts as one that is not set. */
  protected given(name: Name): string | undefined {
    const value = this.env[name];
    return value === undefined || value.trim() === '' ? undefined : value;
  }
}
