import type { ReferenceObject, SchemaObject } from '@nestjs/swagger';
import { API_DOCUMENT } from './api-document.js';

/** JSON Schema 2020-12, as OpenAPI 3.1 has it. */
interface Schema extends Omit<SchemaObject, 'type' | 'exclusiveMaximum' | 'propertyNames'> {
  readonly type?: string | string[];
  readonly exclusiveMaximum?: number;
  readonly propertyNames?: { readonly not?: { readonly enum?: readonly string[] } };
}

/** A value, as JSON text, that a schema does not admit. */
export interface Violation {
  readonly rule: string;
  readonly json: string;
}

export function schemaAt(node: SchemaObject | ReferenceObject | undefined): Schema {
  if (node === undefined) return {};
  if ('$ref' in node) return schemaAt(API_DOCUMENT.components?.schemas?.[node.$ref.split('/').at(-1) ?? '']);
  const { allOf = [], anyOf = [], ...rest } = node;
  const parts = [...allOf, ...anyOf.slice(0, 1)].map((part) => schemaAt(part));
  const schema = Object.assign({}, ...parts, rest) as Schema;
  const orNull = anyOf.some((part) => 'type' in part && part.type === 'null');
  return orNull ? { ...schema, type: [schema.type ?? [], 'null'].flat() } : schema;
}

const OF_TYPE = { string: '"text"', number: '1.5', integer: '7', boolean: 'true', array: '[]', object: '{}' };

/** Values, as JSON text, that a rule of a schema forbids. */
const FORBIDDEN: { readonly [Rule in keyof Schema]?: (rule: NonNullable<Schema[Rule]>) => string[] } = {
  type: (type) => {
    const admitted = [type].flat();
    if (admitted.includes('number')) admitted.push('integer');
    return Object.entries({ ...OF_TYPE, null: 'null' }).flatMap(([name, json]) =>
      admitted.includes(name) ? [] : [json],
    );
  },
  enum: ([first]) => ['"SOMETHING_ELSE"', JSON.stringify(`${String(first).toLowerCase()} `)],
  maxLength: (length) => [`"${'x'.repeat(length + 1)}"`],
  minLength: (length) => [`"${'x'.repeat(length - 1)}"`],
  pattern: () => [String.raw`"a\u0000@b"`],
  format: (format) => (format === 'date-time' ? ['"2026-02-30T10:00:00Z"', '"2026-01-01"'] : []),
  minimum: (bound) => [`${bound - 1}`],
  maximum: (bound) => [`${bound + 1}`],
  exclusiveMaximum: (bound) => [`${bound}`],
  multipleOf: () => ['10.001'],
  items: (items) => violationsOf(items).map(({ json }) => `[${json}]`),
  additionalProperties: (values) =>
    typeof values === 'object' ? violationsOf(values).map(({ json }) => `{"key":${json}}`) : [],
  propertyNames: ({ not }) => (not?.enum ?? []).map((name) => `{${JSON.stringify(name)}:"x"}`),
};

/** One violation, at least, of each rule that the schema has. */
export function violationsOf(node: SchemaObject | ReferenceObject): Violation[] {
  const schema = schemaAt(node) as Readonly<Record<string, unknown>>;
  const rules = Object.entries(FORBIDDEN) as [string, (value: unknown) => string[]][];
  return rules.flatMap(([rule, forbidden]) =>
    schema[rule] === undefined ? [] : forbidden(schema[rule]).map((json) => ({ rule, json })),
  );
}
