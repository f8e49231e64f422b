import { type ArgumentMetadata, Injectable, type PipeTransform, type Type } from '@nestjs/common';
import { JsonSource } from '../json/json-parser.js';
import { malformedRequest, validationFailed } from '../problem/problem.js';
import { declaredFields, Fault } from './fields.js';

/** Bodies and queries → instances of their class, or one 400 that names every fault. Unknown fields are ignored. */
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
 * Reads the declared fields of `type`. Throws validation-failed. The result is read-only: absent fields share their
 * fallbacks.
 */
export function readFields<T extends object>(type: Type<T>, source: object): T {
  const instance = readObject(type, source);
  if (instance instanceof Fault) throw validationFailed(Object.fromEntries(instance.messages));
  return instance;
}

/** Reads the declared fields of `type` from a JSON object or a query, or names every field at fault. */
export function readObject<T extends object>(type: Type<T>, source: object): T | Fault {
  const fields = declaredFields(type);
  const members = membersOf(source, (name) => fields.has(name));
  const instance = Object.create(type.prototype as object) as Record<string, unknown>;
  const faults = new Map<string, string>();
  for (const [name, { read }] of fields) {
    const value = read?.(Object.hasOwn(members, name) ? members[name] : undefined);
    if (!(value instanceof Fault)) instance[name] = value;
    else for (const [path, message] of value.messages) faults.set(name + path, message);
  }
  return faults.size > 0 ? new Fault(faults) : (instance as T);
}

/** Of a JSON object only the wanted members: a body may have a hundred thousand others. */
function membersOf(source: object, isWanted: (name: string) => boolean): Record<string, unknown> {
  if (!(source instanceof JsonSource)) return source as Record<string, unknown>;
  try {
    return source.read(isWanted) as Record<string, unknown>;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw malformedRequest(`The body is not valid JSON: ${error.message}.`); // a name that comes twice
  }
}
