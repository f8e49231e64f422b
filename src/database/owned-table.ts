import type { Type } from '@nestjs/common';
import { fieldsOf } from '../common/validation/fields.js';
import type { ProblemError } from '../common/problems/problem.js';
import type { Statement } from './database.js';
import { type EntityColumn, tableOf } from './entity-columns.js';
import type { JsonView } from './json-view.js';

/** Two statements: with the owner $1 and the id $2, or, for an ADMIN, with the id $1 alone. */
export interface ByScope {
  readonly ofOwner: Statement;
  readonly ofAnybody: Statement;
}

const OF_OWNER = 't.owner_id = $1 AND t.id = $2';

interface Options<Request extends object> {
  readonly entity: Type;
  readonly request: Type<Request>;
  readonly view: JsonView;
  /** Fields of the request, or columns, that the statements of the resource set themselves. */
  readonly except?: readonly string[];
  /** The problem of a deletion while other rows refer to the row. */
  readonly inUse?: () => ProblemError;
}

/**
 * The statements by key of a table whose rows have an owner and a version, made once. A request
 * writes the columns of the entity for which it has a field; they are listed nowhere else.
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
  readonly get: ByScope;
  /** Of two arrays, owners and ids: a row for each pair in their order, with nulls where there is none. */
  readonly getEach: Statement;
  readonly locate: ByScope;
  /** $1 owner, $2 id, $3 the versions that may be deleted; null for any. */
  readonly delete: Statement;

  constructor({ entity, request, view, except = [], inUse }: Options<Request>) {
    const { table, columns } = tableOf(entity);
    const fields = fieldsOf(request);
    const settable = columns.filter(({ property, isManaged }) => !isManaged && !except.includes(property));
    const isWritten = ({ group, property }: EntityColumn): boolean =>
      group === undefined && fields.includes(property);
    this.table = table;
    this.view = view;
    this.written = settable.filter(isWritten);
    this.columns = this.written.map(({ column }) => column).join(', ');
    this.kept = settable.filter((column) => !isWritten(column)).map(({ column }) => column);

    const row = `SELECT t.version, ${view.json} AS json FROM ${table} t WHERE`;
    const key = `SELECT t.owner_id AS "ownerId", t.version FROM ${table} t WHERE`;
    this.get = this.byScope('get', row);
    this.getEach = this.statement('get_each', eachOf(`${row} t.owner_id = k.owner_id AND t.id = k.id`));
    this.locate = this.byScope('locate', key);
    const expected = '($3::integer[] IS NULL OR t.version = ANY ($3))';
    const deletion = `DELETE FROM ${table} t WHERE ${OF_OWNER} AND ${expected} RETURNING t.id`;
    this.delete = { ...this.statement('delete', deletion), foreignKey: inUse };
  }

  private byScope(name: string, select: string): ByScope {
    return {
      ofOwner: this.statement(name, `${select} ${OF_OWNER}`),
      ofAnybody: this.statement(`${name}_of_anybody`, `${select} t.id = $1`),
    };
  }

  /** Prepared once per connection under the table's name and this one. */
  private statement(name: string, text: string): Statement {
    return { name: `${this.table}.${name}`, text };
  }

  /**
   * A write, over the alias `t`, that returns the row as a read would: PostgreSQL renders it for less than Node.
   * `first` is what it needs before, another part of the WITH.
   */
  returning(name: string, write: string, first?: string): Statement {
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
  record(request: Readonly<Record<keyof Request, unknown>>): Record<string, unknown> {
    return Object.fromEntries(
      this.written.map(({ property, column }) => [column, request[property as keyof Request]]),
    );
  }

  /** For INSERT, after `before` other parameters. */
  placeholders(before: number): string {
    return this.written.map(({ type }, index) => `$${before + index + 1}::${type}`).join(', ');
  }

  /** For UPDATE, after `before` other parameters; what an update changes besides is among them. */
  assignments(before: number): string {
    const set = this.written.map(({ column, type }, index) => `${column} = $${before + index + 1}::${type}`);
    return [...set, 'version = t.version + 1', 'updated_at = now()'].join(', ');
  }

  /** The values of the placeholders. */
  values(request: Readonly<Record<keyof Request, unknown>>): unknown[] {
    return this.written.map(({ property }) => request[property as keyof Request]);
  }
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
