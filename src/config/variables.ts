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

/** A property read from a variable. A blank variable counts as one that is not set. */
export function Variable(
  name: string,
  parse: (text: string, env: Environment) => unknown,
  fallback?: string | ((env: Environment) => string),
): PropertyDecorator {
  if (!VARIABLES.includes(name)) VARIABLES.push(name);
  return property(name, (env) => {
    const text = given(env, name) ?? (typeof fallback === 'function' ? fallback(env) : fallback);
    return text === undefined ? undefined : about(name, () => parse(text, env));
  });
}

/** A property read from a variable, or from the file that `…_FILE` names. */
export function Secret(
  name: string,
  faultOf: (text: string) => string | undefined,
  fallback?: string,
): PropertyDecorator {
  const file = `${name}_FILE`;
  VARIABLES.push(name, file);
  return property(name, (env) => {
    const path = given(env, file);
    const both = path !== undefined && given(env, name) !== undefined;
    const beside = both ? [`${file} is set beside ${name}: keep one of them`] : [];
    const text = path === undefined ? (given(env, name) ?? fallback) : about(file, () => secretIn(path));
    const fault = typeof text === 'string' ? faultOf(text) : undefined;
    const messages = [
      ...beside,
      ...(text instanceof Fault ? text.messages : []),
      ...(fault ? [`${name} ${fault}`] : []),
    ];
    return messages.length > 0 ? new Fault(messages) : text;
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

export function given(env: Environment, name: string): string | undefined {
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

/** The work's value; its error as a fault of the variable. */
export function about<T>(name: string, work: () => T): T | Fault {
  try {
    return work();
  } catch (error) {
    return new Fault([`${name} ${(error as Error).message}`]);
  }
}

function secretIn(file: string): string {
  return contentOf(file).replace(/\r?\n$/, '');
}

function messagesOf({ value, children = [] }: ValidationError): readonly string[] {
  return value instanceof Fault ? value.messages : children.flatMap(messagesOf);
}
