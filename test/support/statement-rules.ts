import { type Node, parseSync, type SelectStmt } from 'libpg-query';
import { queriesIn, type Query } from './owner-predicates.js';

/** Tables whose id is the default that a sequence gives. */
const NUMBERED_TABLES = ['users', 'properties', 'transactions'];

/** What a text must not have, so that it runs where the tables are spread over several servers by owner_id. */
export type Breach =
  | 'selects no column'
  | 'leaves the id of an INSERT … SELECT to its sequence'
  | 'has a subquery without FROM'
  | 'has a correlated subquery'
  | 'makes JSON of rows without LIMIT';

/** A SELECT, and the one that it is a part of. */
interface Select {
  readonly select: SelectStmt;
  readonly isNested: boolean;
}

/**
 * The rules of Citus that no plan of PostgreSQL shows. One owner's statement goes to a server as it is; one of all
 * owners' is taken apart: its subqueries run first, each by itself, and its rows lose the names of their columns.
 */
export function breachesOf(text: string, scope: 'one-owner' | 'every-owner'): Breach[] {
  const selects = selectsIn(parseSync(text), false);
  const found = new Set<Breach>();
  if (selects.some(({ select }) => selectsNothing(select))) found.add('selects no column');
  if (queriesIn(text).some(leavesIdToSequence))
    found.add('leaves the id of an INSERT … SELECT to its sequence');
  if (scope === 'one-owner') return [...found];
  const nested = selects.filter(({ isNested }) => isNested).map(({ select }) => select);
  if (nested.some((select) => isPlain(select) && select.fromClause === undefined))
    found.add('has a subquery without FROM');
  if (nested.some((select) => namesFreeIn(select).size > 0)) found.add('has a correlated subquery');
  if (selects.some(({ select }) => makesJsonWithoutLimit(select)))
    found.add('makes JSON of rows without LIMIT');
  return [...found];
}

type Tree = Readonly<Record<string, unknown>>;

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null;
}

/** Also the branches of a UNION, which are nested where that is. */
function selectsIn(tree: unknown, within: boolean): Select[] {
  if (!isTree(tree)) return [];
  return Object.entries(tree).flatMap(([name, value]) => {
    const isBranch = /^[lr]arg$/.test(name) && isTree(value) && 'limitOption' in value;
    if (name !== 'SelectStmt' && !isBranch) return selectsIn(value, within);
    return [{ select: value as SelectStmt, isNested: within }, ...selectsIn(value, within || !isBranch)];
  });
}

/** Neither a UNION nor VALUES. */
function isPlain({ op, valuesLists }: SelectStmt): boolean {
  return valuesLists === undefined && (op === undefined || op === 'SETOP_NONE');
}

function selectsNothing(select: SelectStmt): boolean {
  return isPlain(select) && select.targetList === undefined;
}

function leavesIdToSequence({ relation, cols = [], selectStmt }: Query): boolean {
  if (selectStmt === undefined || !('SelectStmt' in selectStmt)) return false;
  return (
    selectStmt.SelectStmt.valuesLists === undefined &&
    NUMBERED_TABLES.includes(relation?.relname ?? '') &&
    !cols.some((column) => 'ResTarget' in column && column.ResTarget.name === 'id')
  );
}

/** What stands before the dot of a column and is not of this SELECT's own FROM, nor of a WITH above. */
function namesFreeIn(tree: unknown): Set<string> {
  const names = new Set<string>();
  if (!isTree(tree)) return names;
  for (const [name, value] of Object.entries(tree)) {
    if (name === 'ColumnRef') for (const qualifier of qualifierOf(value)) names.add(qualifier);
    else for (const free of namesFreeIn(value)) names.add(free);
  }
  for (const own of sourcesOf(tree).keys()) names.delete(own);
  return names;
}

function qualifierOf(reference: unknown): string[] {
  const [first, second] = (reference as { fields?: readonly Node[] }).fields ?? [];
  if (first === undefined || second === undefined || !('String' in first)) return [];
  return [first.String.sval ?? ''];
}

/** The tables and subqueries of a FROM, by the name that they have there. */
function sourcesOf({ fromClause = [] }: SelectStmt): Map<string, SelectStmt | undefined> {
  return new Map(fromClause.flatMap(sourceOf));
}

function sourceOf(node: Node | undefined): [string, SelectStmt | undefined][] {
  if (node === undefined) return [];
  if ('JoinExpr' in node) return [...sourceOf(node.JoinExpr.larg), ...sourceOf(node.JoinExpr.rarg)];
  if ('RangeVar' in node) return [[node.RangeVar.alias?.aliasname ?? node.RangeVar.relname ?? '', undefined]];
  if ('RangeFunction' in node) return [[node.RangeFunction.alias?.aliasname ?? '', undefined]];
  if (!('RangeSubselect' in node)) return [];
  const { alias, subquery } = node.RangeSubselect;
  const select = subquery !== undefined && 'SelectStmt' in subquery ? subquery.SelectStmt : undefined;
  return [[alias?.aliasname ?? '', select]];
}

/** Of a subquery that has no LIMIT Citus makes one with its surroundings, and calls the columns f1, f2 and so on. */
function makesJsonWithoutLimit(select: SelectStmt): boolean {
  const sources = sourcesOf(select);
  return rowsMadeJsonIn(select.targetList).some((name) => sources.get(name)?.limitCount === undefined);
}

function rowsMadeJsonIn(tree: unknown): string[] {
  if (!isTree(tree)) return [];
  return Object.entries(tree).flatMap(([name, value]) => {
    if (name === 'SelectStmt') return []; // looked at by itself
    if (name !== 'FuncCall') return rowsMadeJsonIn(value);
    const { funcname = [], args = [] } = value as { funcname?: readonly Node[]; args?: readonly Node[] };
    const called = funcname.at(-1);
    if (called === undefined || !('String' in called) || called.String.sval !== 'row_to_json')
      return rowsMadeJsonIn(args);
    return args.map((argument) => wholeRow(argument));
  });
}

/** The name of a whole row; none of what is no such. */
function wholeRow(node: Node): string {
  const [field, ...others] = 'ColumnRef' in node ? (node.ColumnRef.fields ?? []) : [];
  return field !== undefined && 'String' in field && others.length === 0 ? (field.String.sval ?? '') : '';
}
