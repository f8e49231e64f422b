import { type ArgumentMetadata, Injectable, type PipeTransform, type Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';
import { Fault, fieldsOf, Wire } from './fields.js';
import { malformedRequest, validationFailed } from '../problem/problem.js';

/** Bodies and queries → instances of their class, or one 400 that names every fault. Unknown fields are left. */
@Injectable()
export class FieldsPipe implements PipeTransform {
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if (metatype === undefined || (type !== 'body' && type !== 'query')) return value;
    if (typeof value !== 'object' || value === null)
      throw malformedRequest('A JSON object is required as the body.');
    return readFields(metatype, value);
  }
}

/**
 * Reads the declared fields of `type` from `source`. Throws validation-failed. The result is not to be changed: what stands
 * for absent fields is shared.
 */
export function readFields<T extends object>(type: Type<T>, source: object): T {
  const instance = readObject(type, source);
  if (instance instanceof Fault) throw validationFailed(Object.fromEntries(instance.messages));
  return instance;
}

/** Reads the declared fields of `type` from `source`, or says of each field that is at fault what is wrong. */
export function readObject<T extends object>(type: Type<T>, source: object): T | Fault {
  // Only what is declared, because a body may have a hundred thousand other members.
  const names = fieldsOf(type).filter((name) => Object.hasOwn(source, name));
  const instance = Object.assign(Object.create(type.prototype as object) as T, absentOf(type));
  if (names.length > 0) Object.assign(instance, transformed(type, names, source));
  // class-validator only has to say what is wrong; to find that nothing is takes it as long as reading did.
  if (!Object.values(instance).some((value) => value instanceof Fault)) return instance;
  const errors = validateSync(instance, { forbidUnknownValues: false, validationError: { target: false } });
  return new Fault(new Map(errors.flatMap(describe)));
}

/** What the fields become that are not there, most of those of a search: read once. */
const absent = new WeakMap<Type, object>();

function absentOf(type: Type<object>): object {
  let fields = absent.get(type);
  if (fields === undefined) absent.set(type, (fields = transformed(type, fieldsOf(type), {})));
  return fields;
}

function transformed<T extends object>(type: Type<T>, names: readonly string[], source: object): T {
  const boxes = names.map((name) => [name, new Wire((source as Record<string, unknown>)[name])]);
  return plainToInstance(type, Object.fromEntries(boxes));
}

function describe({ property, value, constraints }: ValidationError): [string, string][] {
  if (value instanceof Fault) return [...value.messages].map(([path, message]) => [property + path, message]);
  return [[property, Object.values(constraints ?? {}).join('; ')]];
}
