import type { EntityMetadata } from 'typeorm';
import { type Column, typeOf } from './statements.js';

/** The values of a row by the paths of their properties, as a request gives them or pg reads them. */
type Values = Readonly<Record<string, unknown>>;

/** From two sources: to merge them took twice as long as all the rest. */
type Write = (given: Values, returned: Values) => string;

/**
 * The JSON of a resource, field by field. PostgreSQL writes that of reads, which is the cheapest for many rows and keeps numeric
 * and bigint exact; Node that of a row just written, byte for byte the same.
 */
export class JsonView {
  /** Field → SQL over `t`: its value, before it is made text or JSON. */
  readonly fields: ReadonlyMap<string, string>;
  /** SQL over `t`: the object's JSON text, as row_to_json writes it, in less time. */
  readonly json: string;
  /** SQL over `t`: the octets of the fields that may be long. PostgreSQL knows them without reading a long text. */
  readonly octets: string;
  private readonly columns: readonly Column[];
  private readonly members: readonly (readonly [start: string, write: Write])[];

  /** The named fields of an entity, in this order: its columns, or the objects that it embeds. */
  constructor(entity: EntityMetadata, names: readonly string[]) {
    const shown = names.map((name) => {
      const own = entity.columns.filter(({ propertyPath }) => propertyPath.split('.')[0] === name);
      const [column] = own;
      if (column === undefined) throw new Error(`${entity.name} has no column for ${name}`);
      if (column.embeddedMetadata === undefined)
        return { name, own, value: valueOf(column), text: textOf(column), write: writerOf(column) };
      const object = objectOf(own);
      return { name, own, value: object, text: `coalesce(${object}, 'null')`, write: objectWriterOf(own) };
    });
    this.fields = new Map(shown.map(({ name, value }) => [name, value]));
    // One function for all members: PostgreSQL looks each function and operator up for each statement, a sixth of a read by id.
    const members = shown.map(({ name, own }) => `"${name}":${own.every(isWord) ? '"%s"' : '%s'}`);
    this.json = `format('{${members.join()}}', ${shown.map(({ text }) => text).join(', ')})`;
    this.octets = shown.flatMap(({ own }) => own.flatMap(octetsOf)).join(' + ');
    this.columns = shown.flatMap(({ own }) => own);
    this.members = shown.map(({ name, write }) => [`"${name}":`, write]);
  }

  /** SQL: the columns that {@link write} needs beside the values of these fields. A jsonb has an order of its own. */
  columnsBeside(given: readonly string[]): string {
    const isNeeded = ({ propertyPath, type }: Column): boolean =>
      type === 'jsonb' || !given.includes(propertyPath);
    const named = ({ databaseName, propertyPath, type }: Column): string =>
      `"${databaseName}"${type === 'jsonb' ? '::text' : ''} AS "${propertyPath}"`;
    return this.columns.filter(isNeeded).map(named).join(', ');
  }

  /** {@link json} of one row: in PostgreSQL it would be an eighth of an update. */
  write(given: object, returned: Values): string {
    return `{${this.members.map(([start, write]) => start + write(given as Values, returned)).join()}}`;
  }
}

/** As {@link textOf}. */
function writerOf(column: Column): Write {
  const { propertyPath, isArray, type } = column;
  const fallback = isArray ? [] : type === 'jsonb' ? '{}' : null;
  const isJson = WRITTEN_LIKE_JSON.includes(typeOf(column));
  return (given, returned) => {
    const value = returned[propertyPath] ?? given[propertyPath] ?? fallback;
    return isJson ? (value as string) : JSON.stringify(value);
  };
}

/** As {@link objectOf}, with the spaces of json_build_object. No request gives one. */
function objectWriterOf(columns: readonly Column[]): Write {
  const members = columns.map((column) => [`"${column.propertyName}" : `, writerOf(column)] as const);
  return (given, returned) => {
    if (columns.every(({ propertyPath }) => returned[propertyPath] == null)) return 'null';
    return `{${members.map(([start, write]) => start + write(given, returned)).join(', ')}}`;
  };
}

/** SQL: an object of these columns, NULL when all of them are. Few rows have one: a single function is looked up for it. */
function objectOf(columns: readonly Column[]): string {
  const present = `num_nonnulls(${columns.map(({ databaseName }) => `t.${databaseName}`).join(', ')}) > 0`;
  const shown = (column: Column): string =>
    column.type === 'timestamptz' ? instantText(valueOf(column)) : valueOf(column);
  const members = columns.map((column) => `'${column.propertyName}', ${shown(column)}`);
  return `CASE WHEN ${present} THEN json_build_object(${members.join(', ')}) END`;
}

const WRITTEN_LIKE_JSON = ['bigint', 'integer', 'numeric', 'jsonb'];

/** Without to_json where no character needs an escape, and no cast, which takes two functions: format() writes values itself. */
function textOf(column: Column): string {
  const value = valueOf(column);
  const isNull = column.isNullable && !isEmptyForNull(column);
  let text = `to_json(${value})`;
  if (WRITTEN_LIKE_JSON.includes(typeOf(column)) || isWord(column)) text = isNull ? `${value}::text` : value;
  else if (column.enum !== undefined) text = `'"' || ${value} || '"'`;
  else if (column.type === 'timestamptz') text = instantText(value, '\\"');
  return isNull ? `coalesce(${text}, 'null')` : text;
}

/** Never NULL, and no character needs an escape: its quotes are those of the format. */
const isWord = (column: Column): boolean => column.enum !== undefined && !column.isNullable;

const isEmptyForNull = ({ isArray, type }: Column): boolean => isArray || type === 'jsonb';

function valueOf(column: Column): string {
  const name = `t.${column.databaseName}`;
  return isEmptyForNull(column) ? `coalesce(${name}, '{}')` : name;
}

/** SQL: an instant as JavaScript writes a Date, such as 2026-01-15T10:30:00.000Z. */
export const instantText = (sql: string, quote = ''): string =>
  `to_char(${sql} AT TIME ZONE 'UTC', '${quote}YYYY-MM-DD"T"HH24:MI:SS.MS"Z"${quote}')`;

function octetsOf(column: Column): string[] {
  const type = typeOf(column);
  if (!['text', 'text[]', 'jsonb'].includes(type)) return [];
  return [`coalesce(octet_length(t.${column.databaseName}${type === 'text' ? '' : '::text'}), 0)`];
}

/** SQL: an object of these columns, each an expression with its name. */
export function jsonOf(columns: readonly string[]): string {
  return `(SELECT row_to_json(v) FROM (SELECT ${columns.join(', ')}) v)`;
}
