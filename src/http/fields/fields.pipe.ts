import { type ArgumentMetadata, Injectable, type PipeTransform, type Type } from '@nestjs/common';
import { JsonSource } from '../json/json-parser.js';
import { malformedRequest, validationFailed } from '../problem/problem.js';
import { declaredFields, Fault, fieldsOf } from './fields.js';
import { StrictQuery } from './query.js';

/** Bodies and queries → instances of their class, or one 400 that names every fault. Unknown fields are ignored. */
@Injectable()
export class FieldsPipe implements PipeTransform {
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if (metatype === undefined || (type !== 'body' && type !== 'query')) return value;
    if (typeof value !== 'object' || value === null)
      throw malformedRequest('A JSON object is required as the body.');
    const isStrict = metatype.prototype instanceof StrictQuery;
    return readFields(metatype, value, isStrict ? unknownParameters(metatype, value) : []);
  }
}

function unknownParameters(type: Type, query: object): [string, string][] {
  const known = fieldsOf(type);
  const reason = `is not a parameter here, where there ${known.length > 0 ? `are ${known.join(', ')}` : 'are none'}`;
  const unknown = Object.keys(query).filter((name) => !known.includes(name));
  return unknown.map((name) => [name.slice(0, 100).toWellFormed(), reason]);
}

/**
 * Reads the declared fields of `type`. Throws validation-failed, also for the faults that were found before. The result is read-only: absent fields share their
 * fallbacks.
 */
export function readFields<T extends object>(
  type: Type<T>,
  source: object,
  faults: readonly [string, string][] = [],
): T {
  const instance = readObject(type, source);
  if (!(instance instanceof Fault) && faults.length === 0) return instance;
  const messages = instance instanceof Fault ? instance.messages : [];
  throw validationFailed(Object.fromEntries([...faults, ...messages]));
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
