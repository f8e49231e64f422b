import { expectedMatches, type SearchFields, valueOf } from '../support/search-oracle.js';
import { bodyOf, type Choice, SEARCHED } from './bodies.js';
import { pageOf, type QueryPart, readQuery, sorting } from './lists.js';
import { callOf, invalid, invalidParts, NOT_FOUND, type Prediction } from './outcomes.js';
import { summaryOf } from './transactions.js';
import type { Caller, ModelTransaction, Ref, World } from './world.js';

const PATH = '/api/transactions';

interface Listed {
  readonly query: readonly QueryPart[];
  /** The property of the list; undefined for all. */
  readonly id?: Ref;
}

export function listTransactions(world: World, caller: Caller, { id, query }: Listed): Prediction {
  const target = id && world.target('properties', id, caller);
  const listing = readQuery(query, ['date', 'desc']);
  const path = target === undefined ? PATH : `${PATH}/property/${target.text}`;
  const call = callOf(caller, 'GET', path + listing.text);
  const refusals = invalidParts(target?.isWellFormed === false ? ['propertyId'] : [], listing.faults);
  if (refusals.length > 0) return { call, outcomes: refusals };
  const rows = (one: Caller): ModelTransaction[] | undefined => {
    const all = world.visible('transactions', one);
    if (target === undefined) return all;
    const property = world.found('properties', target, one);
    return property && all.filter(({ propertyId }) => propertyId === property.id);
  };
  if (listing.hasTwoPlaces) {
    const outcomes = [invalid(['cursor']), ...(rows(caller) === undefined ? [NOT_FOUND] : [])];
    return { call, outcomes };
  }
  const inOrder = sorting<ModelTransaction>(listing, (field, { row }) => valueOf(field)(row));
  return { call, outcomes: [pageOf(world, caller, { call, rows, inOrder, elementOf: summaryOf }, listing)] };
}

interface Searched {
  readonly property: Ref | undefined;
  readonly choices: readonly Choice[];
}

export function search(world: World, caller: Caller, { property, choices }: Searched): Prediction {
  const ref = property && world.target('properties', property, caller);
  const base = ref?.isWellFormed ? [{ field: 'propertyId', token: ref.text }] : [];
  const body = bodyOf(base, choices);
  const call = callOf(caller, 'POST', `${PATH}/search`, { body: body.text });
  if (body.faults.length > 0) return { call, outcomes: [invalid(body.faults)] };
  const fields = fieldsOf(body.tokens);
  const inOrder = (rows: readonly ModelTransaction[]): ModelTransaction[] => {
    const found = new Map(rows.map((transaction) => [transaction.row, transaction]));
    return expectedMatches([...found.keys()], fields).map((row) => found.get(row)!);
  };
  const withoutPage = bodyOf(base, [...choices, { field: 'page', token: undefined }]).text;
  const list = {
    call: { ...call, body: withoutPage },
    rows: (one: Caller) => inOrder(world.visible('transactions', one)),
    inOrder,
    elementOf: summaryOf,
    isCountedOnce: hasFilter(fields),
  };
  const place = { page: Number(fields.page ?? 0), size: Number(fields.size ?? 20) };
  return { call, outcomes: [pageOf(world, caller, list, place)] };
}

const NO_FILTERS = ['page', 'size', 'sortBy', 'sortDirection'];

/** Without one a search is the list of all, whose total is known. */
function hasFilter({ searchTerm = '', ...fields }: SearchFields): boolean {
  return searchTerm.trim() !== '' || Object.keys(fields).some((field) => !NO_FILTERS.includes(field));
}

const KNOWN = new Set(SEARCHED.wrong.map(({ field }) => field));
const WHOLE = ['propertyId', 'page', 'size'];

/** Numbers as in the body; null is absent. */
function fieldsOf(tokens: Readonly<Record<string, string>>): SearchFields & { page?: string; size?: string } {
  const given = Object.entries(tokens).filter(([field, token]) => KNOWN.has(field) && token !== 'null');
  return Object.fromEntries(
    given.map(([field, token]) => {
      if (!/^[-\d]/.test(token)) return [field, JSON.parse(token) as unknown];
      return [field, WHOLE.includes(field) ? String(BigInt(token.replace(/\.0+$/, ''))) : token];
    }),
  );
}
