import { type ArgumentMetadata, Injectable, type PipeTransform, type Type } from '@nestjs/common';
import { declarationsOf, Fault } from './fields.js';
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

/** What comes of nothing at all: most lists are asked for without a query. */
const defaults = new WeakMap<Type, object>();

/** Reads the declared fields of `type` from `source`. Throws validation-failed. The result is not to be changed. */
export function readFields<T extends object>(type: Type<T>, source: object): T {
  if (Object.keys(source).length > 0) return transform(type, source);
  let instance = defaults.get(type) as T | undefined;
  if (instance === undefined) defaults.set(type, (instance = Object.freeze(transform(type, source))));
  return instance;
}

function transform<T extends object>(type: Type<T>, source: object): T {
  const instance = readObject(type, source);
  if (instance instanceof Fault) throw validationFailed(Object.fromEntries(instance.messages));
  return instance;
}

/**
 * Reads the declared fields of `type` from `source`, or says of each field that is at fault what is wrong. Nothing else of
 * the source is looked at, because a body may have a hundred thousand other members.
 */
export function readObject<T extends object>(type: Type<T>, source: object): T | Fault {
  const instance = new type();
  const values = instance as Record<string, unknown>;
  const faults: [string, string][] = [];
  for (const [name, { read }] of declarationsOf(type)) {
    const value = read?.(Object.hasOwn(source, name) ? (source as typeof values)[name] : undefined);
    values[name] = value;
    if (value instanceof Fault)
      for (const [path, message] of value.messages) faults.push([name + path, message]);
  }
  return faults.length > 0 ? new Fault(new Map(faults)) : instance;
}
