import type { EntityMetadata, ObjectLiteral, QueryDeepPartialEntity, Repository } from 'typeorm';
import type { Statement } from './database.js';

export type Column = EntityMetadata['columns'][number];

/** The column of a field. Throws for a field that the entity does not have. */
export function columnOf({ name, columns }: EntityMetadata, field: string): Column {
  const column = columns.find(({ propertyPath }) => propertyPath === field);
  if (column === undefined) throw new Error(`${name} has no column for ${field}`);
  return column;
}

/**
 * SQL: `t` is the row of owner $1 with this id, for the look-up of many. Where statistics know no row of an owner, any index by
 * owner seems as cheap as the primary key, and each look-up would read the entries of all his rows. The subquery hides him from
 * statistics. The alternatives, for which an index would be looked through twice, tell his partition.
 */
export const byKey = (id: string): string =>
  `t.id = ${id} AND t.owner_id = (SELECT $1::bigint) AND (t.owner_id = $1 OR t.owner_id = ANY (ARRAY[$1]))`;

/** The SQL type, to cast a parameter to. */
export const typeOf = ({ type, isArray }: Column): string => `${String(type)}${isArray ? '[]' : ''}`;

/** SQL: the fields of a JSON object that is read as a record, with the types of their columns. */
export const typedFields = (columns: readonly Column[]): string =>
  columns.map((column) => `"${column.propertyName}" ${typeOf(column)}`).join(', ');

/** Field → the expression of its value, a parameter of its name: a value itself would be converted by TypeORM. */
export function parametersFor<Entity extends ObjectLiteral>(
  { metadata }: Repository<Entity>,
  fields: readonly string[],
): QueryDeepPartialEntity<Entity> {
  const types = fields.map((field) => [field, typeOf(columnOf(metadata, field))] as const);
  const expressions = types.map(([field, type]) => [field, () => `:${field}::${type}`] as const);
  return Object.fromEntries(expressions) as QueryDeepPartialEntity<Entity>;
}

/** Takes `:name` for a parameter, but no cast, such as `::text`. */
export function named(name: string, sql: string): Statement {
  const parameters: string[] = [];
  const text = sql.replaceAll(/(?<!:):([a-z]\w*)/gi, (_, parameter: string) => {
    if (!parameters.includes(parameter)) parameters.push(parameter);
    return `$${parameters.indexOf(parameter) + 1}`;
  });
  return { name, text, parameters };
}
