import { parseSync, type SelectStmt } from 'libpg-query';

/** PostgreSQL's own parser, which has to be loaded before {@link breachesOf} is called. */
export { loadModule as loadParser } from 'libpg-query';

const WITHOUT_COLUMN = /\bSELECT\s+(?:FROM|WHERE)\b/;
const WITHOUT_ID = /INTO (?:users|properties|transactions)(?: AS \w+)?\s*\((?![^)]*\bid\b)[^)]*\)\s*SELECT\b/;

/**
 * The rules of Citus that no plan of PostgreSQL shows. A statement of one owner goes to a server as it is; a statement of
 * all owners is taken apart: its subqueries run first, each by itself, and its rows lose the names of their columns.
 */
export function breachesOf(text: string, scope: 'one-owner' | 'every-owner'): string[] {
  const selects = valuesOf<SelectStmt>(parseSync(text), 'SelectStmt');
  const nested = selects.flatMap((select) => valuesOf<SelectStmt>(select, 'SelectStmt'));
  const rules: [breach: string, isBroken: boolean][] = [
    ['selects no column', WITHOUT_COLUMN.test(text)],
    ['leaves the id of an INSERT … SELECT to its sequence', WITHOUT_ID.test(text)],
  ];
  if (scope === 'every-owner')
    rules.push(
      ['has a subquery without FROM', nested.some(({ targetList, fromClause }) => targetList && !fromClause)],
      ['has a correlated subquery', nested.some(isCorrelated)],
      ['makes JSON of rows without LIMIT', selects.some(makesJsonWithoutLimit)],
    );
  return rules.filter(([, isBroken]) => isBroken).map(([breach]) => breach);
}

/** The values of all members of this name, however deep. */
function valuesOf<Value>(tree: unknown, name: string): Value[] {
  if (typeof tree !== 'object' || tree === null) return [];
  return Object.entries(tree).flatMap(([key, value]) => [
    ...(key === name ? [value as Value] : []),
    ...valuesOf<Value>(value, name),
  ]);
}

/** Whether it names a table that is not in its own FROM. */
function isCorrelated(select: SelectStmt): boolean {
  const sources = valuesOf<{ relname?: string; aliasname?: string }>(select, 'RangeVar').map(
    (it) => it.relname,
  );
  const aliases = valuesOf<{ aliasname: string }>(select, 'alias').map(({ aliasname }) => aliasname);
  return valuesOf<{ fields: { String?: { sval: string } }[] }>(select, 'ColumnRef')
    .filter(({ fields }) => fields.length === 2)
    .some(({ fields: [table] }) => ![...sources, ...aliases].includes(table?.String?.sval));
}

/** Citus makes one query of a subquery without LIMIT and its surroundings, and calls the columns f1, f2 and so on. */
function makesJsonWithoutLimit({ targetList, fromClause }: SelectStmt): boolean {
  const own = JSON.stringify(targetList ?? [], (key, value: unknown) =>
    key === 'SelectStmt' ? null : value,
  );
  const [source] = valuesOf<SelectStmt>(fromClause, 'SelectStmt');
  return own.includes('"row_to_json"') && source?.limitCount === undefined;
}
