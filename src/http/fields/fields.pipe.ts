import { type ArgumentMetadata, Injectable, type PipeTransform, type Type } from '@nestjs/common';
import { getSchemaPath } from '@nestjs/swagger';
import { bodyObject } from '../json/json-body.js';
import { isObject } from '../json/json-parser.js';
import { validationFailed } from '../problem/problem.js';
import { declaredFields, Fault, type FieldReader, fieldReader, fieldsOf } from './fields.js';
import { StrictQuery } from './query.js';
import type { Schema } from './schema.js';

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

/** An object that is read as a body of that type is. Every fault is named by its field. */
export function objectOf<T extends object>(type: Type<T>): FieldReader<T> {
  return fieldReader<T>({ $ref: getSchemaPath(type) } as Schema, (input) => {
    if (!isObject(input)) return Fault.of('must be an object');
    const object = readObject(type, input);
    if (!(object instanceof Fault)) return object;
    const faults = new Map<string, string>();
    object.addTo(faults, '.');
    return new Fault(faults);
  });
}
