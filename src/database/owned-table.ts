import type { Type } from '@nestjs/common';
import { fieldsOf } from '../http/fields/fields.js';
import type { Statement } from './database.js';
import { type EntityColumn, tableOf } from './entity-columns.js';
import type { JsonView } from './json-view.js';

interface Options<Request extends object> {
  readonly entity: Type;
  readonly request: Type<Request>;
  readonly view: JsonView;
  /** Fields of the request, or columns, that the statements of the resource set themselves. */
  readonly except?: readonly string[];
}

/**
 * The statements by key of a table whose rows have an owner and a version, made once. What a request may write is
 * listed nowhere else: the columns of the entity that the request has a field for.
 */
export class OwnedTable<Request extends object> {
  private readonly table: string;
  private readonly view: JsonView;
  /** In the order of {@link values}. */
  private readonly written: readonly EntityColumn[];
  /** The written columns, for INSERT. */
  readonly columns: string;
  /** The columns that no request writes and that a row takes along when it is stored under another key. */
  readonly kept: readonly string[];
  readonly get: Statement;
  /** Of two arrays, owners and ids: a row for each pair in their order, with nulls where there is none. */
  readonly getEach: Statement;
  readonly getOfAnybody: Statement;
  readonly locate: Statement;
  readonly locateOfAnybody: Statement;
  readonly delete: Statement;
  readonly deleteVersions: Statement;
  /** Whether the row is there, and a property, if the last two values name one: after a write that hit no row. */
  readonly missed: Statement;
  readonly missedOfAnybody: Statement;

  constructor({ entity, request, view, except = [] }: Options<Request>) {
    const { table, columns, groups } = tableOf(entity);
    const fields = fieldsOf(request);
    const settable = columns.filter(({ property, isManaged }) => !isManaged && !except.includes(property));
    this.table = table;
    this.written = settable.filter(({ property }) => fields.includes(property));
    this.columns = this.written.map(({ column }) => column).join(', ');
    this.kept = [
      ...settable.filter(({ property }) => !fields.includes(property)),
      ...groups.flatMap((group) => group.columns),
    ].map(({ column }) => column);
    this.view = view;

    const ofOwner = 't.owner_id = $1 AND t.id = $2';
    const ofAnybody = 't.id = $1'; // for ADMIN
    const row = `SELECT t.version, ${view.json} AS json FROM ${table} t WHERE`;
    const place = `SELECT t.owner_id, t.version FROM ${table} t WHERE`;
    const deletion = `DELETE FROM ${table} t WHERE ${ofOwner}`;
    this.get = this.statement('get', `${row} ${ofOwner}`);
    this.getEach = this.statement('get_each', eachOf(`${row} t.owner_id = k.owner_id AND t.id = k.id`));
    this.getOfAnybody = this.statement(
      'get_of_anybody',
      `SELECT t.version, ${view.plainJson} AS json FROM ${table} t WHERE ${ofAnybody}`,
    );
    this.locate = this.statement('locate', `${place} ${ofOwner}`);
    this.locateOfAnybody = this.statement('locate_of_anybody', `${place} ${ofAnybody}`);
    this.delete = this.statement('delete', `${deletion} RETURNING t.id`);
    this.deleteVersions = this.statement(
      'delete_versions',
      `${deletion} AND t.version = ANY ($3::integer[]) RETURNING t.id`,
    );
    this.missed = this.statement(
      'missed',
      `SELECT ${there(table, ofOwner)} AS row, ${property(3)} AS property`,
    );
    this.missedOfAnybody = this.statement(
      'missed_of_anybody',
      `SELECT ${there(table, ofAnybody)} AS row, ${property(2)} AS property`,
    );
  }

  /** Prepared once per connection under the table's name and this one. */
  private statement(name: string, text: string): Statement {
    return { name: `${this.table}.${name}`, text };
  }

  /**
   * A write, over the alias `t`, that answers with the row as a read would: PostgreSQL renders it for less than Node.
   * `first` is what it needs before, another part of the WITH.
   */
  answering(name: string, write: string, first?: string): Statement {
    const parts = [...(first === undefined ? [] : [first]), `written AS (${write} RETURNING t.*)`].join(', ');
    return this.statement(
      name,
      `WITH ${parts} SELECT t.id, t.version, ${this.view.json} AS json FROM written t`,
    );
  }

  /** The written columns of a JSON array of {@link record}s, as a FROM clause describes them. */
  get definitions(): string {
    return this.written.map(({ column, type }) => `${column} ${type}`).join(', ');
  }

  /** Column → value, for one JSON array that has any number of rows; PostgreSQL reads each value as it would a parameter. */
  record(request: Request, derived: Partial<Request> = {}): Record<string, unknown> {
    return Object.fromEntries(
      this.written.map(({ property, column }) => [
        column,
        valueOf(property as keyof Request, request, derived),
      ]),
    );
  }

  /** For INSERT, after `before` other parameters. */
  placeholders(before: number): string {
    return this.written.map((column, index) => placeholder(column, before + index)).join(', ');
  }

  /** For UPDATE, after `before` other parameters; what an update changes besides is among them. */
  assignments(before: number): string {
    const set = this.written.map(
      (column, index) => `${column.column} = ${placeholder(column, before + index)}`,
    );
    return [...set, 'version = t.version + 1', 'updated_at = now()'].join(', ');
  }

  /** What the placeholders stand for; `derived` takes the place of what the request has. */
  values(request: Request, derived: Partial<Request> = {}): unknown[] {
    return this.written.map(({ property, type }) => {
      const value = valueOf(property as keyof Request, request, derived);
      return type === 'jsonb' ? JSON.stringify(value) : value;
    });
  }
}

function there(table: string, condition: string): string {
  return `EXISTS (SELECT 1 FROM ${table} t WHERE ${condition})`;
}

function property(first: number): string {
  return `($${first + 1}::bigint IS NULL OR EXISTS (
    SELECT 1 FROM properties p WHERE p.owner_id = $${first}::bigint AND p.id = $${first + 1}::bigint))`;
}

/**
 * The LIMITs are for the planner: with the first it finds one plan as cheap as one for each number of rows, and planning takes
 * longer than the look-up; with the second no estimate makes a join of it, which would read the whole table.
 */
function eachOf(lookUp: string): string {
  return `SELECT r.version, r.json
    FROM (SELECT * FROM unnest($1::bigint[], $2::bigint[]) WITH ORDINALITY u (owner_id, id, place) LIMIT cardinality($1)) k
    LEFT JOIN LATERAL (${lookUp} LIMIT 1) r ON true ORDER BY k.place`;
}

function valueOf<Request extends object>(
  field: keyof Request,
  request: Request,
  derived: Partial<Request>,
): unknown {
  return field in derived ? derived[field] : request[field];
}

function placeholder({ type }: EntityColumn, index: number): string {
  return `$${index + 1}::${type}`;
}
