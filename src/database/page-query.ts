import type { Mark, Position } from '../http/fields/cursors.js';
import type { BoundStatement, Database, Statement } from './database.js';
import type { ListStatement } from './list-statement.js';
import type { PageDepth } from './page-keys.js';
import { pageText, pageTextAfter } from './page-text.js';

export interface QueriedPage {
  /** The elements as JSON text, separated by commas. */
  readonly content: string;
  /** How many there are on all pages. */
  readonly total: number;
  /** Of the last row of a full page. */
  readonly position: Position | null;
  /** Whether more rows follow; of a page that was asked for by its number the total tells that. */
  readonly more: boolean | null;
}

/** A page by its number, or the one behind a mark. */
export interface PagePlace {
  readonly page: number;
  readonly size: number;
  readonly after?: Mark | undefined;
}

/** Runs a list. Undefined when `total` is null, that is, when what the list belongs to is not there. */
export async function queryPage(
  database: Database,
  query: ListStatement,
  place: PagePlace,
): Promise<QueriedPage | undefined> {
  const { statement, values } = pageStatement(query, place);
  const [row] = await database.read<PageRow>(statement, values);
  if (row?.total == null) return undefined;
  const { content, position, more = null } = row;
  return { content, total: Number(row.total), position, more };
}

interface PageRow {
  readonly total: string | null;
  readonly content: string;
  readonly position: string[] | null;
  readonly more?: boolean;
}

/** So many rows to pass over that planning takes little time beside it, and that the best plan depends on them. */
const DEEP = 10_000;

/** The statement for one page of a list, with its values. */
export function pageStatement(query: ListStatement, { page, size, after }: PagePlace): BoundStatement {
  if (after !== undefined) return pageAfter(query, size, after);
  if (page === 0 && query.inIndexOrder !== undefined)
    return { statement: statementFor(query, 'first'), values: [...query.values, size] };
  const offset = page * size;
  const values = [...query.values, size, offset];
  if (offset >= DEEP) return { statement: { text: pageText(query, 'deep') }, values };
  // Around rows without a value the one plan for all values sorts every one of them: 25 ms in place of 3 for a first page.
  if (query.ties === 'nulls') return { statement: { text: pageText(query, 'any') }, values };
  return { statement: statementFor(query, 'any'), values };
}

function pageAfter(query: ListStatement, size: number, { position, total }: Mark): BoundStatement {
  const values = [...query.values, size, ...position.filter((value) => value !== null)];
  const counted = query.counted === true ? `$${values.push(total)}` : query.total;
  const text = (): string => pageTextAfter(query, position, counted);
  if (query.name === undefined) return { statement: { text: text() }, values };
  // A list with a name has one sort key beside the id.
  return { statement: named(`${query.name}.after${position[0] === null ? '_none' : ''}`, text), values };
}

/** What has a name is always the same text, so that it is put together once. */
const prepared = new Map<string, Statement>();

function named(name: string, text: () => string): Statement {
  let statement = prepared.get(name);
  if (statement === undefined) prepared.set(name, (statement = { name, text: text() }));
  return statement;
}

function statementFor(query: ListStatement, depth: PageDepth): Statement {
  const text = (): string => pageText(query, depth);
  return query.name === undefined ? { text: text() } : named(`${query.name}.${depth}`, text);
}
