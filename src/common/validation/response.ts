import type { Type } from '@nestjs/common';
import { Shown } from './field.js';
import { declaredFields, schemaOf } from './fields.js';
import type { Schema } from './schema.js';

type Schemas = Readonly<Record<string, Parameters<typeof Shown>[0]>>;

/** The base class of a response, with its fields in their order; those for some callers only come last. */
export function responseOf(schemas: Schemas, sometimes: Schemas = {}): Type<object> {
  const type = class extends Object {};
  for (const [name, schema] of Object.entries({ ...schemas, ...sometimes }))
    Shown({ ...schema, required: name in schemas ? schema.required : false })(type.prototype, name);
  return type;
}

/** Rows that are older than a bound may exceed it. */
const OF_REQUESTS_ALONE = { default: undefined, maxItems: undefined, maxProperties: undefined };

/** The fields of a request as a response has them; null where the request may leave a field out and it has no fallback. */
export function Given<T extends object>(request: Type<T>): Type<T> {
  const given = [...declaredFields(request)].map(([name, { fallback }]) => {
    const schema: Schema = schemaOf(request, name);
    return [name, { ...schema, ...OF_REQUESTS_ALONE, required: true, nullable: fallback === null }] as const;
  });
  return responseOf(Object.fromEntries(given)) as Type<T>;
}
