import type { PipeTransform, Type } from '@nestjs/common';
import { JsonNumber } from '../json/json-parser.js';
import { ProblemError, validationFailed } from '../problems/problem.js';
import { parseFields } from './body.js';
import { declaredFields, Fault, readFields } from './fields.js';
import type { Schema } from './schema.js';
import { int64 } from './values.js';

/**
 * Ids in paths → their digits; bodies and queries → instances of their class, or one 400 that names every fault. Unknown
 * fields are ignored. A file is an instance already.
 */
export const FIELDS_PIPE: PipeTransform = {
  transform(value: unknown, { type, metatype, data = '' }): unknown {
    if (type === 'param') return readId(value as string, data);
    if (type === 'custom' || metatype === undefined || value instanceof metatype) return value;
    if (type === 'query') return readQuery(metatype, value as object);
    return readBody(metatype as Type<object>, value);
  },
};

async function readBody(type: Type<object>, body: unknown): Promise<object> {
  if (!Buffer.isBuffer(body)) throw new ProblemError('malformed-request');
  return readFields(type, await parseFields(body, declaredFields(type)));
}

function readId(text: string, name: string): string {
  const id = int64(inBody(text, int64.schema));
  if (id instanceof Fault) throw validationFailed({ [name]: 'must be a whole number of 64 bits' });
  return id;
}

/** Reads a query as a body is read. Only the contract's lists ignore unknown parameters. Throws validation-failed. */
export function readQuery<T extends object>(type: Type<T>, query: object): T {
  const fields = declaredFields(type);
  const parameters: Record<string, unknown> = {};
  const faults = new Fault();
  const isList = fields.has('cursor');
  for (const [name, value] of Object.entries(query) as [string, string | string[]][]) {
    const schema = fields.get(name)?.schema;
    if (schema === undefined) {
      if (isList) continue;
      const known = [...fields.keys()].join(', ') || 'none';
      faults.set(name.slice(0, 100).toWellFormed(), `is not a parameter here, where there are ${known}`);
    } else if (schema.type === 'array') parameters[name] = value;
    else if (Array.isArray(value)) faults.set(name, 'must be given once');
    else parameters[name] = inBody(value, schema);
  }
  return readFields(type, parameters, faults);
}

/** Plain decimal digits with an optional minus, as path ids and query integers are written. */
const PLAIN_INTEGER = /^-?(0|[1-9]\d{0,30})$/;

/** The text of a parameter as the JSON value of a body. */
function inBody(text: string, { type }: Schema): unknown {
  if (type === 'integer' && PLAIN_INTEGER.test(text)) return new JsonNumber(text);
  return type === 'boolean' && ['true', 'false'].includes(text) ? text === 'true' : text;
}
