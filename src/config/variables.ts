import { readFileSync } from 'node:fs';
import { applyDecorators } from '@nestjs/common';
import { Expose, plainToInstance, Transform } from 'class-transformer';
import { ValidateBy, ValidateNested, validateSync, type ValidationError } from 'class-validator';

export type Environment = Record<string, string | undefined>;

/** Every variable that is read, and the file of each secret. */
export const VARIABLES: string[] = [];

/** Stands where a value cannot be read. Each message begins with the variable, and holds no value. */
export class Fault {
  constructor(readonly messages: readonly string[]) {}
}

type Parse = (text: string, env: Environment) => unknown;

/** A property read from a variable. A blank variable counts as one that is not set. */
export function Variable(
  name: string,
  parse: Parse,
  fallback?: string | ((env: Environment) => string),
): PropertyDecorator {
  if (!VARIABLES.includes(name)) VARIABLES.push(name);
  return property(name, (env) => {
    const text = given(env, name) ?? (typeof fallback === 'function' ? fallback(env) : fallback);
    return text === undefined ? undefined : parsed(name, () => parse(text, env));
  });
}

/** A property read from a variable, or from the file that `…_FILE` names. */
export function Secret(name: string, parse: Parse, fallback?: string): PropertyDecorator {
  const file = `${name}_FILE`;
  VARIABLES.push(name, file);
  return property(name, (env) => {
    const path = given(env, file);
    if (path !== undefined && given(env, name) !== undefined)
      return new Fault([`${file} is set beside ${name}: keep one of them`]);
    const text =
      path === undefined
        ? (given(env, name) ?? fallback)
        : parsed(file, () => contentOf(path).replace(/\r?\n$/, ''));
    return typeof text === 'string' ? parsed(name, () => parse(text, env)) : text;
  });
}

/** A property made of others that are read from the same environment. */
export function Derived(derive: (env: Environment) => unknown): PropertyDecorator {
  return property(undefined, derive);
}

/** A property with properties of its own. */
export function Group(type: new () => object): PropertyDecorator {
  return applyDecorators(
    Expose(),
    Transform(({ obj }) => read(type, obj as Environment)),
    ValidateNested(),
  );
}

/** An instance, in which a {@link Fault} stands for each value that cannot be read. */
export function read<T extends object>(type: new () => T, env: Environment): T {
  return plainToInstance(type, env, { excludeExtraneousValues: true });
}

/** The messages of all faults in an instance. */
export function faultsIn(settings: object): string[] {
  return [...new Set(validateSync(settings).flatMap(messagesOf))];
}

function given(env: Environment, name: string): string | undefined {
  const value = env[name];
  return value === undefined || value.trim() === '' ? undefined : value;
}

/** The content of a file. The message of an error says how to mend it. */
export function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    const remedy = FILE_REMEDIES[code] ?? 'name another';
    throw new Error(`names a file that cannot be read (${code}): ${remedy}`, { cause: error });
  }
}

/** Secret files are often root's alone, and in the container the service is another user. */
const user = process.getuid === undefined ? '' : `, uid ${process.getuid()},`;
const FILE_REMEDIES: Readonly<Record<string, string>> = {
  ENOENT: 'there is none, correct the name',
  EACCES: `give the user that the service runs as${user} the right to read it, and to enter its folder`,
  EISDIR: 'it is a folder, name a file in it',
};

function property(name: string | undefined, valueOf: (env: Environment) => unknown): PropertyDecorator {
  return applyDecorators(
    Expose(name === undefined ? {} : { name }),
    Transform(({ obj }) => valueOf(obj as Environment)),
    ValidateBy({ name: 'isRead', validator: { validate: (value) => !(value instanceof Fault) } }),
  );
}

function parsed<T>(name: string, parse: () => T): T | Fault {
  try {
    return parse();
  } catch (error) {
    return new Fault([`${name} ${(error as Error).message}`]);
  }
}

function messagesOf({ value, children = [] }: ValidationError): readonly string[] {
  return value instanceof Fault ? value.messages : children.flatMap(messagesOf);
}
