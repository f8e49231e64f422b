import type { Type } from '@nestjs/common';
import { getSchemaPath } from '@nestjs/swagger';
import { JsonSource } from '../json/json-parser.js';
import { Fault, type FieldReader, fieldReader } from './fields.js';
import { readObject } from './fields.pipe.js';

/** A list of objects, each read as a body of that type is. Every fault of all is named, by index and field. */
export function objectsOf<T extends object>(type: Type<T>, most: number): FieldReader<T[]> {
  const items = { $ref: getSchemaPath(type) };
  return fieldReader({ type: 'array', items, minItems: 1, maxItems: most }, (source) => {
    if (!(source instanceof JsonSource && source.isArray)) return Fault.of('must be an array');
    if (source.size < 1 || source.size > most) return Fault.of(`must have 1 to ${most} elements`);
    const read = (source.read() as unknown[]).map((item) => objectIn(type, item));
    const faults = read.flatMap((item, index) => (item instanceof Fault ? below(`[${index}]`, item) : []));
    return faults.length > 0 ? new Fault(new Map(faults)) : (read as T[]);
  });
}

function objectIn<T extends object>(type: Type<T>, item: unknown): T | Fault {
  if (!(item instanceof JsonSource) || item.isArray) return Fault.of('must be an object');
  return readObject(type, item);
}

function below(path: string, { messages }: Fault): [string, string][] {
  return [...messages].map(([field, message]) => [field === '' ? path : `${path}.${field}`, message]);
}
