import { readFileSync } from 'node:fs';
import { applyDecorators } from '@nestjs/common';
import { Expose, plainToInstance, Transform } from 'class-transformer';
import { ValidateBy, ValidateNested, validateSync, type ValidationError } from 'class-validator';

export type Environment = Record<string, string | undefined>;
type Parse<T = unknown> = (text: string) => T;

/** Every variable of the service, and the file of each secret. */
export const VARIABLES: string[] = [];
/** Those that hold a secret, which no child process or dump may show. DB_URL may hold a password. */
export const SECRETS = ['DB_URL'];

/** Stands for a value that cannot be read. Each message begins with the variable and holds no value. */
export class VariableFault {
  constructor(readonly messages: readonly string[]) {}
}

export function Variable(name: string, parse: Parse, fallback?: string): PropertyDecorator {
  VARIABLES.push(name);
  return Derived((env) => parsed(name, given(env, name) ?? fallback, parse));
}

/** A property read from a variable, or from the file that `…_FILE` names. */
export function Secret(name: string, parse: Parse, fallback?: string): PropertyDecorator {
  const file = `${name}_FILE`;
  VARIABLES.push(name, file);
  SECRETS.push(name);
  return Derived((env) => {
    const [text, path] = [given(env, name), given(env, file)];
    if (path === undefined) return parsed(name, text ?? fallback, parse);
    if (text !== undefined) return new VariableFault([`${file} is set beside ${name}: keep one of them`]);
    const content = parsed(file, path, contentOf);
    return content instanceof VariableFault ? content : parsed(name, content?.replace(/\r?\n$/, ''), parse);
  });
}

/** A property computed from the whole environment. */
export function Derived(derive: (env: Environment) => unknown): PropertyDecorator {
  return applyDecorators(
    Expose(),
    Transform(({ obj }) => derive(obj as Environment)),
    ValidateBy({ name: 'isRead', validator: { validate: (value) => !(value instanceof VariableFault) } }),
  );
}

export function Group(type: new () => object): PropertyDecorator {
  return applyDecorators(
    Derived((env) => read(type, env)[0]),
    ValidateNested(),
  );
}

/** An instance with a {@link VariableFault} in place of each value that cannot be read, and the messages of all of them. */
export function read<T extends object>(type: new () => T, env: Environment): [instance: T, faults: string[]] {
  const instance = plainToInstance(type, env, { excludeExtraneousValues: true });
  return [instance, [...new Set(validateSync(instance).flatMap(messagesOf))]];
}

function messagesOf({ value, children = [] }: ValidationError): readonly string[] {
  return value instanceof VariableFault ? value.messages : children.flatMap(messagesOf);
}

/** The value of a variable. A blank one counts as one that is not set. */
export function given(env: Environment, name: string): string | undefined {
  return env[name]?.trim() ? env[name] : undefined;
}

/** The fault of a missing variable, with the most similar name that is set and belongs to no other variable. */
export function explained(env: Environment, fault: string): string {
  const [, missing] = /^(\w+) is missing/.exec(fault) ?? [];
  if (missing === undefined) return fault;
  const wanted = pairsOf(missing);
  const likeness = (name: string): number => {
    const pairs = pairsOf(name);
    return (2 * pairs.filter((pair) => wanted.includes(pair)).length) / (pairs.length + wanted.length);
  };
  const others = Object.keys(env).filter((name) => !VARIABLES.includes(name) && likeness(name) > 0.6);
  const [given] = others.sort((one, other) => likeness(other) - likeness(one));
  return given === undefined ? fault : `${fault}. ${given} is set: did you mean ${missing}?`;
}

function pairsOf(name: string): string[] {
  return Array.from({ length: name.length - 1 }, (_, at) => name.slice(at, at + 2).toUpperCase());
}

function parsed<T>(name: string, text: string | undefined, parse: Parse<T>): T | VariableFault | undefined {
  try {
    return text === undefined ? undefined : parse(text);
  } catch (error) {
    return new VariableFault([`${name} ${(error as Error).message}`]);
  }
}

/** The content of a file. The message of an error names the remedy. */
export function contentOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    const remedy = `correct the name, or let uid ${process.getuid?.()} read it and enter its folder`;
    throw new Error(`names a file that cannot be read (${code}): ${remedy}`, { cause: error });
  }
}
