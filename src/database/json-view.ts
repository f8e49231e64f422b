import type { Type } from '@nestjs/common';
import { type EntityColumn, type EntityGroup, tableOf } from './entity-columns.js';

/** The JSON of a resource, field by field. PostgreSQL writes it, which is the cheapest and keeps numeric and bigint exact. */
export class JsonView {
  /** An SQL expression over the alias `t`: the object's JSON text, as row_to_json writes it and in less time. */
  readonly json: string;

  private constructor(private readonly fields: Record<string, JsonField>) {
    this.json = objectOf(fields);
  }

  /** The named fields of an entity, in this order: its columns, or the objects that it embeds. */
  static of(entity: Type, names: readonly string[]): JsonView {
    const { columns, groups } = tableOf(entity);
    const known = new Map([
      ...columns.map((column) => [column.property, fieldOf(column)] as const),
      ...groups.map((group) => [group.property, groupOf(group)] as const),
    ]);
    return new JsonView(
      Object.fromEntries(
        names.map((name) => {
          const field = known.get(name);
          if (field === undefined) throw new Error(`${entity.name} has no column for ${name}`);
          return [name, field];
        }),
      ),
    );
  }

  /** An SQL expression over the alias `t`: a field as its JSON has it, before it is made JSON. */
  expression(name: string): string {
    const field = this.fields[name];
    if (field === undefined) throw new Error(`there is no field ${name}`);
    return field.sql;
  }

  /** An SQL expression over the alias `t`: the octets of what may be long in a row. A long text need not be read for it. */
  get octets(): string {
    const lengths = Object.values(this.fields)
      .flatMap(({ columns }) => columns)
      .flatMap(({ column, type }) => {
        if (type === 'text') return `octet_length(t.${column})`;
        return type === 'text[]' || type === 'jsonb' ? `octet_length(t.${column}::text)` : [];
      });
    return lengths.map((length) => `coalesce(${length}, 0)`).join(' + ');
  }
}

interface JsonField {
  readonly columns: readonly EntityColumn[];
  /** An SQL expression over the alias `t`. */
  readonly sql: string;
}

function fieldOf(source: EntityColumn): JsonField {
  const sql = `t.${source.column}`;
  // As a Date writes itself: 2026-01-15T10:30:00.000Z.
  const instant = `to_char(${sql} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
  return { columns: [source], sql: source.type === 'timestamptz' ? instant : sql };
}

/** An object of its own, or null while all its columns are null. */
function groupOf({ columns }: EntityGroup): JsonField {
  const fields = Object.fromEntries(columns.map((column) => [column.property, fieldOf(column)]));
  const present = `num_nonnulls(${columns.map(({ column }) => `t.${column}`).join(', ')}) > 0`;
  return { columns, sql: `CASE WHEN ${present} THEN (${objectOf(fields)})::json END` };
}

/** SQL: an object of these columns, each an expression with its name. */
export function jsonOf(columns: readonly string[]): string {
  return `(SELECT row_to_json(v) FROM (SELECT ${columns.join(', ')}) v)`;
}

function objectOf(fields: Record<string, JsonField>): string {
  const members = Object.entries(fields).map(
    ([name, { sql }]) => `'"${name}":' || coalesce(to_json(${sql})::text, 'null')`,
  );
  return `'{' || ${members.join(` || ',' || `)} || '}'`;
}
