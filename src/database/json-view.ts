/**
 * The JSON of a resource, field by field, said once and used twice: PostgreSQL writes it for reads, which is
 * the cheapest and keeps numeric and bigint exact; `render` writes it from the columns that an INSERT or UPDATE
 * returns, because RETURNING may hold only columns where the table is distributed.
 */
export class JsonView {
  /** An SQL expression over the alias `t`: the object's JSON text. */
  readonly json: string;

  constructor(private readonly fields: Record<string, JsonField>) {
    this.json = this.jsonFrom('');
  }

  /** As {@link json}, of the one row that a FROM clause, which names it `t`, finds. */
  jsonFrom(from: string): string {
    return `(SELECT row_to_json(v)::text FROM (SELECT ${selectList(this.fields)} ${from}) v)`;
  }

  /** The columns that {@link render} needs, for RETURNING. */
  columns(alias = ''): string {
    return columnsOf(this.fields)
      .map((column) => alias + column)
      .join(', ');
  }

  /** The object's JSON text from a row with {@link columns}. */
  render(row: Row): string {
    return renderObject(this.fields, row);
  }
}

type Row = Record<string, unknown>;

export interface JsonField {
  readonly columns: readonly string[];
  /** An SQL expression over the alias `t`. */
  readonly sql: string;
  readonly render: (row: Row) => string;
}

/** A bigint or numeric column: a number with every digit. */
export function exact(column: string): JsonField {
  const render = (row: Row): string => String(row[column]); // null is 'null' in JSON too
  return { columns: [column], sql: `t.${column}`, render };
}

/** A column whose JSON is that of its value: text, integer, boolean, text[], jsonb. */
export function plain(column: string): JsonField {
  return { columns: [column], sql: `t.${column}`, render: (row) => JSON.stringify(row[column]) };
}

/** A timestamptz column as `2026-01-15T10:30:00.000Z`, which is also how a Date writes itself. */
export function instant(column: string): JsonField {
  const sql = `to_char(t.${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
  return { columns: [column], sql, render: (row) => JSON.stringify(row[column]) };
}

/** An object of its own, or null while all its columns are null. */
export function group(fields: Record<string, JsonField>): JsonField {
  const columns = columnsOf(fields);
  const present = `num_nonnulls(${columns.map((column) => `t.${column}`).join(', ')}) > 0`;
  return {
    columns,
    sql: `CASE WHEN ${present} THEN (SELECT row_to_json(g) FROM (SELECT ${selectList(fields)}) g) END`,
    render: (row) => (columns.every((column) => row[column] === null) ? 'null' : renderObject(fields, row)),
  };
}

function columnsOf(fields: Record<string, JsonField>): string[] {
  return Object.values(fields).flatMap((field) => field.columns);
}

function selectList(fields: Record<string, JsonField>): string {
  return Object.entries(fields)
    .map(([name, field]) => `${field.sql} AS "${name}"`)
    .join(', ');
}

function renderObject(fields: Record<string, JsonField>, row: Row): string {
  const members = Object.entries(fields).map(([name, field]) => `"${name}":${field.render(row)}`);
  return `{${members.join(',')}}`;
}
