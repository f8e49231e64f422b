import { setImmediate as nextTurn } from 'node:timers/promises';
import type { PipeTransform, Type } from '@nestjs/common';
import { isObject, JsonNumber, type JsonObject, parseJson } from '../json/json-parser.js';
import { malformedRequest, ProblemError, validationFailed } from '../problems/problem.js';
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
    const isLarge = Buffer.isBuffer(value) && value.length > LARGE;
    return isLarge ? readInTurn(metatype, value) : readFields(metatype, bodyObject(value));
  },
};

/** Bytes of a body that takes milliseconds to read. */
const LARGE = 64 * 1024;

let lastTurn = Promise.resolve();

/** Other requests come between two large bodies. */
async function readInTurn(type: Type, body: Buffer): Promise<object> {
  await (lastTurn = lastTurn.then(() => nextTurn()));
  return readFields(type, bodyObject(body)) as object;
}

function readId(text: string, name: string): string {
  const id = int64(inBody(text, int64.schema));
  if (id instanceof Fault) throw validationFailed({ [name]: 'must be a whole number of 64 bits' });
  return id;
}

/** Reads the body of a request. Throws malformed-request. */
function bodyObject(body: unknown): JsonObject {
  try {
    const text = Buffer.isBuffer(body) ? body.toString().replace(/^\ufeff/, '') : ''; // without a byte order mark
    const value = text === '' ? undefined : parseJson(text);
    if (isObject(value)) return value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw malformedRequest(`The body is not valid JSON: ${error.message}.`);
  }
  throw new ProblemError('malformed-request');
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
