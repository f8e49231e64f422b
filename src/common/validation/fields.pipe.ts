import { StringDecoder } from 'node:string_decoder';
import type { PipeTransform, Type } from '@nestjs/common';
import { nextTurn, Turn } from '../concurrency/turns.js';
import { isObject, JsonNumber, type JsonObject, parseInTurns, type Shape } from '../json/json-parser.js';
import { malformedRequest, ProblemError, validationFailed } from '../problems/problem.js';
import { int64, integerText } from './decorators.js';
import { Fault } from './field.js';
import { declaredFields, fieldsOf, schemaOf, validated } from './fields.js';
import { INT64, type Schema } from './schema.js';

/** Ids in paths → digits; bodies and queries → instances of their class; each with faults → its {@link Fault}. Files stay. */
export const FIELDS_PIPE: PipeTransform = {
  transform(value: unknown, { type, metatype, data = '' }): unknown {
    if (type === 'param') return readId(value as string, data);
    if (type === 'custom' || metatype === undefined || value instanceof metatype) return value;
    if (type === 'query') return readQuery(metatype, value as object);
    return readBody(metatype as Type<object>, value);
  },
};

/** Method decorator: throws the faults of all parameters in one validation-failed. Of pipes that throw, Nest hears the first. */
export const WithoutFaults = (_type: object, name: string | symbol, descriptor: PropertyDescriptor): void => {
  const handle = descriptor.value as (...parameters: unknown[]) => unknown;
  const value = function (this: unknown, ...parameters: unknown[]): unknown {
    const faults = parameters.filter((parameter) => parameter instanceof Fault);
    if (faults.length === 0) return handle.apply(this, parameters);
    const all = new Fault();
    for (const fault of faults) all.add('', fault);
    throw validationFailed(Object.fromEntries(all));
  };
  // The decorators below have left theirs on the handler itself.
  for (const key of Reflect.getMetadataKeys(handle))
    Reflect.defineMetadata(key, Reflect.getMetadata(key, handle), value);
  descriptor.value = Object.defineProperty(value, 'name', { value: name });
};

async function readBody(type: Type<object>, body: unknown): Promise<object> {
  if (!Buffer.isBuffer(body)) throw new ProblemError('malformed-request');
  const fields = declaredFields(type);
  const faults = new Fault();
  const request = validated(type, await parseFields(body, fields), faults) as Record<string, unknown>;
  for (const [name, { items }] of fields)
    if (items !== undefined && !faults.has(name))
      request[name] = await readItems(items, request[name] as unknown[], name, faults);
  return faults.size > 0 ? faults : request;
}

/** The wanted members of a body's JSON object, read in turns; others need only be well-formed. Throws malformed-request. */
async function parseFields(bytes: Buffer, shape: Shape): Promise<JsonObject> {
  const text = (await decoded(bytes)).replace(/^\ufeff/, ''); // without a byte order mark
  if (text === '') throw new ProblemError('malformed-request');
  try {
    const value = await parseInTurns(text, new Turn(), shape);
    if (isObject(value)) return value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw malformedRequest(`The body is not valid JSON: ${error.message}.`);
  }
  throw new ProblemError('malformed-request');
}

async function decoded(bytes: Buffer): Promise<string> {
  if (bytes.length <= Turn.CHARACTERS) return bytes.toString();
  const decoder = new StringDecoder();
  let text = '';
  for (let at = 0; at < bytes.length; at += Turn.CHARACTERS) {
    await nextTurn();
    text += decoder.write(bytes.subarray(at, at + Turn.CHARACTERS));
  }
  return text;
}

/** Reads the objects of a list as bodies are read. Other elements have had their fault already. */
async function readItems(type: Type, list: unknown[], name: string, faults: Fault): Promise<object[]> {
  const items: object[] = [];
  const turn = new Turn();
  for (const [index, item] of list.entries()) {
    if (faults.isFull) break;
    if (!isObject(item)) continue;
    if (turn.fills(valuesIn(item), 0)) await nextTurn();
    items.push(validated(type as Type<object>, item, faults, `${name}[${index}].`));
  }
  return items;
}

/** The number of its own, and of those in the arrays and objects within it. */
function valuesIn(item: object): number {
  return Object.values(item).reduce<number>((sum, value) => {
    if (Array.isArray(value)) return sum + value.length;
    return sum + (isObject(value) ? Object.keys(value).length : 1);
  }, 0);
}

function readId(text: string, name: string): string | Fault {
  const id = inBody(text, INT64);
  if (int64(id) !== undefined) return new Fault([[name, 'must be a whole number of 64 bits']]);
  return integerText(id as JsonNumber);
}

/** Reads a query as a body is read. Unknown parameters are faults, unless its class is lenient, as the contract's lists are. */
export function readQuery<T extends object>(type: Type<T> & { lenient?: boolean }, query: object): T | Fault {
  const names = fieldsOf(type);
  const parameters: Record<string, unknown> = {};
  const faults = new Fault();
  for (const [name, value] of Object.entries(query) as [string, string | string[]][]) {
    if (faults.isFull) break;
    const schema = names.includes(name) ? schemaOf(type, name) : undefined;
    if (schema === undefined) {
      if (type.lenient === true) continue;
      const known = names.join(', ') || 'none';
      faults.set(name.slice(0, 100).toWellFormed(), `is not a parameter here, where there are ${known}`);
    } else if (schema.type === 'array') parameters[name] = value;
    else if (Array.isArray(value)) faults.set(name, 'must be given once');
    else parameters[name] = inBody(value, schema);
  }
  const request = validated(type, parameters, faults);
  return faults.size > 0 ? faults : request;
}

/** Plain decimal digits with an optional minus, as path ids and query integers are written; other numbers as in JSON. */
const NUMBERS: Readonly<Record<string, RegExp>> = {
  integer: /^-?(0|[1-9]\d{0,30})$/,
  number: /^-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?$/i,
};

/** The text of a parameter → the JSON value that a body would have. */
function inBody(text: string, { type }: Schema): unknown {
  if (NUMBERS[String(type)]?.test(text)) return new JsonNumber(text);
  return type === 'boolean' && ['true', 'false'].includes(text) ? text === 'true' : text;
}
