import { type ArgumentMetadata, Injectable, type PipeTransform, type Type } from '@nestjs/common';
import { getSchemaPath } from '@nestjs/swagger';
import { bodyObject } from '../json/json-body.js';
import { isObject } from '../json/json-parser.js';
import { validationFailed } from '../problem/problem.js';
import { declaredFields, Fault, type FieldReader, fieldReader, fieldsOf } from './fields.js';
import { StrictQuery } from './query.js';

type Members = Readonly<Record<string, unknown>>;

/** Bodies and queries → instances of their class, or one 400 that names every fault. Unknown fields are ignored. */
@Injectable()
export class FieldsPipe implements PipeTransform {
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if (metatype === undefined) return value;
    if (type === 'body') return readFields(metatype, bodyObject(value));
    if (type !== 'query') return value;
    const query = value as Members;
    return readFields(metatype, query, unknownParameters(metatype, query));
  }
}

function unknownParameters(type: Type, query: Members): [string, string][] {
  if (!(type.prototype instanceof StrictQuery)) return [];
  const known = fieldsOf(type);
  const reason = `is not a parameter here, where there ${known.length > 0 ? `are ${known.join(', ')}` : 'are none'}`;
  const unknown = Object.keys(query).filter((name) => !known.includes(name));
  return unknown.map((name) => [name.slice(0, 100).toWellFormed(), reason]);
}

/** As {@link readObject}, but throws validation-failed, also for the faults that were found before. */
export function readFields<T extends object>(
  type: Type<T>,
  source: object,
  faults: readonly [string, string][] = [],
): T {
  const instance = readObject(type, source as Members);
  if (!(instance instanceof Fault) && faults.length === 0) return instance;
  const messages = instance instanceof Fault ? instance.messages : [];
  throw validationFailed(Object.fromEntries([...faults, ...messages]));
}

/**
 * Reads the declared fields of `type` from a JSON object or a query, or names every field at fault. The result is
 * read-only: absent fields share their fallbacks.
 */
export function readObject<T extends object>(type: Type<T>, source: Members): T | Fault {
  const instance = Object.create(type.prototype as object) as Record<string, unknown>;
  const faults = new Map<string, string>();
  for (const [name, { read }] of declaredFields(type)) {
    const value = read?.(Object.hasOwn(source, name) ? source[name] : undefined);
    if (value instanceof Fault) value.addTo(faults, name);
    else instance[name] = value;
  }
  return faults.size > 0 ? new Fault(faults) : (instance as T);
}

/** A list of objects, each read as a body of that type is. Every fault of all is named, by index and field. */
export function objectsOf<T extends object>(type: Type<T>, most: number): FieldReader<T[]> {
  const items = { $ref: getSchemaPath(type) };
  return fieldReader({ type: 'array', items, minItems: 1, maxItems: most }, (input) => {
    if (!Array.isArray(input)) return Fault.of('must be an array');
    if (input.length < 1 || input.length > most) return Fault.of(`must have 1 to ${most} elements`);
    const faults = new Map<string, string>();
    const objects = input.map((item: unknown, index) => {
      const object = isObject(item) ? readObject(type, item) : undefined;
      if (object === undefined) faults.set(`[${index}]`, 'must be an object');
      if (object instanceof Fault) object.addTo(faults, `[${index}].`);
      return object;
    });
    return faults.size > 0 ? new Fault(faults) : (objects as T[]);
  });
}
