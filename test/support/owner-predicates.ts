import { type DeleteStmt, type InsertStmt, parseSync, type SelectStmt, type UpdateStmt } from 'libpg-query';
import type { JoinExpr, Node, RangeVar } from 'libpg-query';
import { OWNED_TABLES } from '../../src/database/citus.js';

/** PostgreSQL's own parser, which has to be loaded before {@link unscopedTables} can be asked. */
export { loadModule as loadParser } from 'libpg-query';

/** A statement as it went to PostgreSQL. */
export interface SentStatement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** A SELECT, INSERT, UPDATE or DELETE by itself; the queries within it are others. */
export type Query = SelectStmt & InsertStmt & UpdateStmt & DeleteStmt;

/** A table of owners' data, by the name that the query gives it. */
interface Mention {
  readonly table: string;
  readonly alias: string;
}

/** What an owner_id is held equal to: a parameter's number, or the owner_id of something else. */
interface Binding {
  readonly alias: string | undefined;
  readonly to: number | string;
}

/** The tables of owners' data that a statement names, wherever it names them. */
export function ownedTablesIn({ text }: SentStatement): string[] {
  const tables = queriesIn(text).flatMap((query) => [...mentionsIn(query), ...insertionIn(query)]);
  return [...new Set(tables.map(({ table }) => table))];
}

/**
 * The tables of owners' data that a statement touches without holding them to this owner. Each SELECT, UPDATE and
 * DELETE within the statement must itself have the predicate for each such table: bound to the owner's id, or to
 * the owner_id of another part of the statement, which then is looked at in turn.
 */
export function unscopedTables(statement: SentStatement, ownerId: string): string[] {
  const isOwner = (value: unknown): boolean => String(value) === ownerId;
  if (!statement.values.some(isOwner)) return ownedTablesIn(statement);
  return queriesIn(statement.text).flatMap((query) => {
    const mentions = mentionsIn(query);
    const bound = boundAliases(query, mentions, (parameter) => isOwner(statement.values[parameter - 1]));
    const insertion = insertionIn(query).filter(
      () => !query.cols?.some((column) => 'ResTarget' in column && column.ResTarget.name === 'owner_id'),
    );
    return [...mentions.filter(({ alias }) => !bound.has(alias)), ...insertion].map(({ table }) => table);
  });
}

function boundAliases(
  query: Query,
  mentions: readonly Mention[],
  isOwner: (parameter: number) => boolean,
): ReadonlySet<string> {
  const bindings = bindingsIn(query).map(({ alias, to }) => ({
    // Without a name it is the column of the only table that there is.
    alias: alias ?? (mentions.length === 1 ? mentions[0]!.alias : ''),
    to,
  }));
  const bound = new Set<string>();
  const isBound = (to: number | string): boolean =>
    typeof to === 'number' ? isOwner(to) : bound.has(to) || !mentions.some(({ alias }) => alias === to);
  for (let size = -1; size < bound.size;) {
    size = bound.size;
    for (const { alias, to } of bindings) if (isBound(to)) bound.add(alias);
  }
  return bound;
}

function mentionsIn({ fromClause = [], usingClause = [], relation, cols }: Query): Mention[] {
  const target = relation !== undefined && cols === undefined ? [relation] : []; // an INSERT's is no mention
  return [...target, ...[...fromClause, ...usingClause].flatMap(rangesIn)].flatMap(ownedIn);
}

function insertionIn({ relation, cols }: Query): Mention[] {
  return relation === undefined || cols === undefined ? [] : ownedIn(relation);
}

function ownedIn({ relname = '', alias }: RangeVar): Mention[] {
  return OWNED_TABLES.includes(relname) ? [{ table: relname, alias: alias?.aliasname ?? relname }] : [];
}

function rangesIn(node: Node | undefined): RangeVar[] {
  if (node === undefined) return [];
  if ('RangeVar' in node) return [node.RangeVar];
  return 'JoinExpr' in node ? [...rangesIn(node.JoinExpr.larg), ...rangesIn(node.JoinExpr.rarg)] : [];
}

/** What certainly holds in the query: nothing out of a disjunction or a negation. */
function bindingsIn({ whereClause, fromClause = [], usingClause = [] }: Query): Binding[] {
  const joined = [...fromClause, ...usingClause].flatMap((node) =>
    'JoinExpr' in node ? bindingsOfJoin(node.JoinExpr) : [],
  );
  return [...bindingsOf(whereClause), ...joined];
}

/** The condition of an outer join says nothing of the side whose rows all come. */
function bindingsOfJoin({ jointype, larg, rarg, quals }: JoinExpr): Binding[] {
  const own = bindingsOf(quals);
  const side = { JOIN_LEFT: rarg, JOIN_RIGHT: larg }[jointype as string];
  const names = rangesIn(side).map(({ relname, alias }) => alias?.aliasname ?? relname);
  const holding = jointype === 'JOIN_INNER' ? own : own.filter(({ alias }) => names.includes(alias));
  const nested = [larg, rarg].flatMap((node) =>
    node !== undefined && 'JoinExpr' in node ? bindingsOfJoin(node.JoinExpr) : [],
  );
  return [...holding, ...nested];
}

function bindingsOf(node: Node | undefined): Binding[] {
  if (node === undefined) return [];
  if ('BoolExpr' in node)
    return node.BoolExpr.boolop === 'AND_EXPR' ? (node.BoolExpr.args ?? []).flatMap(bindingsOf) : [];
  if (!('A_Expr' in node) || node.A_Expr.kind !== 'AEXPR_OP') return [];
  const { name = [], lexpr, rexpr } = node.A_Expr;
  const [operator] = name;
  if (operator === undefined || !('String' in operator) || operator.String.sval !== '=') return [];
  return [...bindingTo(lexpr, rexpr), ...bindingTo(rexpr, lexpr)];
}

function bindingTo(column: Node | undefined, value: Node | undefined): Binding[] {
  const owner = ownerColumn(column);
  if (owner === undefined || value === undefined) return [];
  if ('TypeCast' in value) return bindingTo(column, value.TypeCast.arg);
  if ('ParamRef' in value) return [{ ...owner, to: value.ParamRef.number ?? 0 }];
  const other = ownerColumn(value)?.alias;
  return other === undefined ? [] : [{ ...owner, to: other }];
}

/** The column `owner_id`, and what stands before its dot. */
function ownerColumn(node: Node | undefined): { alias: string | undefined } | undefined {
  if (node === undefined || !('ColumnRef' in node)) return undefined;
  const names = (node.ColumnRef.fields ?? []).map((field) => ('String' in field ? field.String.sval : '*'));
  return names.at(-1) === 'owner_id' ? { alias: names.at(-2) } : undefined;
}

const QUERIES = ['SelectStmt', 'InsertStmt', 'UpdateStmt', 'DeleteStmt'];

/** Every query in the statement, however deep. */
export function queriesIn(text: string): Query[] {
  const found: Query[] = [];
  const visit = (name: string, value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const isBranch = /^[lr]arg$/.test(name) && 'limitOption' in value; // of a UNION
    if (isBranch || QUERIES.includes(name)) found.push(value);
    for (const [key, inner] of Object.entries(value)) visit(key, inner);
  };
  visit('', parseSync(text));
  return found;
}
