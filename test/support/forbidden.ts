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

/** One violation, at least, of each rule that the schema has. */
export function violationsOf(node: SchemaObject | ReferenceObject): Violation[] {
  const schema = schemaAt(node);
  const text = (rule: string, value: unknown): Violation => ({ rule, json: JSON.stringify(value) });
  const list: Violation[] = wrongTypes(schema);
  if (schema.enum !== undefined)
    list.push(text('enum', 'SOMETHING_ELSE'), text('case', String(schema.enum[0]).toLowerCase() + ' '));
  if (schema.maxLength !== undefined) list.push(text('maxLength', 'x'.repeat(schema.maxLength + 1)));
  if (schema.minLength !== undefined) list.push(text('minLength', 'x'.repeat(schema.minLength - 1)));
  if (schema.pattern !== undefined && schema.enum === undefined) list.push(text('pattern', 'a\u0000@b'));
  if (schema.format === 'date-time')
    list.push(text('format', '2026-02-30T10:00:00Z'), text('format', '2026-01-01'));
  if (schema.minimum !== undefined) list.push({ rule: 'minimum', json: `${schema.minimum - 1}` });
  if (schema.maximum !== undefined) list.push({ rule: 'maximum', json: `${schema.maximum + 1}` });
  if (schema.exclusiveMaximum !== undefined)
    list.push({ rule: 'exclusiveMaximum', json: `${schema.exclusiveMaximum}` });
  if (schema.multipleOf !== undefined) list.push({ rule: 'multipleOf', json: '10.001' });
  if (schema.items !== undefined)
    list.push(
      ...violationsOf(schema.items).map(({ rule, json }) => ({ rule: `items: ${rule}`, json: `[${json}]` })),
    );
  if (typeof schema.additionalProperties === 'object')
    list.push(
      ...violationsOf(schema.additionalProperties).map(({ rule, json }) => ({
        rule: `values: ${rule}`,
        json: `{"key":${json}}`,
      })),
    );
  for (const name of schema.propertyNames?.not?.enum ?? [])
    list.push({ rule: 'propertyNames', json: `{${JSON.stringify(name)}:"x"}` });
  return list;
}

const VALUES: Readonly<Record<string, string>> = {
  string: '"text"',
  number: '1.5',
  integer: '7',
  boolean: 'true',
  array: '[]',
  object: '{}',
  null: 'null',
};

function wrongTypes({ type }: Schema): Violation[] {
  const admitted = [type ?? []].flat();
  if (admitted.includes('number')) admitted.push('integer');
  return Object.entries(VALUES)
    .filter(([name]) => admitted.length > 0 && !admitted.includes(name))
    .map(([name, json]) => ({ rule: `type: ${name}`, json }));
}
