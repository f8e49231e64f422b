import { TRANSACTION_FIELDS } from '../support/contract.js';
import { expectedMatches, type SearchFields, valueOf } from '../support/search-oracle.js';
import { bodyOf } from './bodies.js';
import { type Choice, SEARCH_CHOICES } from './choices.js';
import type { Request } from './commands.js';
import { acceptHeader } from './files.js';
import { type Listing, readQuery, sorted } from './lists.js';
import {
  type Call,
  callOf,
  invalid,
  invalidParts,
  NOT_FOUND,
  type Outcome,
  type Prediction,
} from './outcomes.js';
import { summaryOf } from './transaction-body.js';
import { pageOf } from './walks.js';
import type { Caller, ModelTransaction, World } from './world.js';

const PATH = '/api/transactions';

export function listTransactions(
  world: World,
  caller: Caller,
  { query }: Request<'transactions'>,
): Prediction {
  const listing = readQuery(query, ['date', 'desc']);
  const call = callOf(caller, 'GET', PATH + listing.text);
  if (listing.faults.length > 0) return { call, outcomes: [invalid(listing.faults)] };
  return { call, outcomes: listed(world, caller, call, listing, (one) => world.transactionsOf(one)) };
}

export function listOfProperty(
  world: World,
  caller: Caller,
  { id, query }: Request<'transactionsOfProperty'>,
): Prediction {
  const target = world.target('properties', id, caller);
  const listing = readQuery(query, ['date', 'desc']);
  const call = callOf(caller, 'GET', `${PATH}/property/${target.text}${listing.text}`);
  const refusals = invalidParts(target.isWellFormed ? [] : ['propertyId'], listing.faults);
  if (refusals.length > 0) return { call, outcomes: refusals };
  const rows = (one: Caller): ModelTransaction[] | undefined => {
    const property = world.property(target, one);
    return property && world.transactionsOf(one).filter(({ propertyId }) => propertyId === property.id);
  };
  return { call, outcomes: listed(world, caller, call, listing, rows) };
}

function listed(
  world: World,
  caller: Caller,
  call: Call,
  listing: Listing,
  rows: (caller: Caller) => ModelTransaction[] | undefined,
): Outcome[] {
  // Where the property is not there either, both answers are right.
  if (listing.hasTwoPlaces) return [invalid(['cursor']), ...(rows(caller) === undefined ? [NOT_FOUND] : [])];
  const inOrder = (some: readonly ModelTransaction[]): ModelTransaction[] =>
    sorted(some, listing.keys, (field) => (transaction) => valueOf(field)(transaction.row));
  return [pageOf(world, caller, { call, rows, inOrder, elementOf: summaryOf }, listing)];
}

export function search(world: World, caller: Caller, command: Request<'search'>): Prediction {
  const { target, body, inOrder } = searchOf(world, caller, command);
  const call = callOf(caller, 'POST', `${PATH}/search`, { body: body.text });
  if (body.faults.length > 0) return { call, outcomes: [invalid(body.faults)] };
  const fields = fieldsOf(body.tokens);
  const withoutPage = { ...call, body: bodyOf(target, [...command.choices, NO_PAGE]).text };
  const list = {
    call: withoutPage,
    rows: (one: Caller) => inOrder(world.transactionsOf(one)),
    inOrder,
    elementOf: summaryOf,
    isCountedOnce: hasFilter(fields),
  };
  const listing = { page: Number(fields.page ?? 0), size: Number(fields.size ?? 20) };
  return { call, outcomes: [pageOf(world, caller, list, listing)] };
}

const NO_FILTERS = ['page', 'size', 'sortBy', 'sortDirection'];

/** Without one a search is the list of all, whose total is known. */
function hasFilter({ searchTerm = '', ...fields }: SearchFields): boolean {
  return searchTerm.trim() !== '' || Object.keys(fields).some((field) => !NO_FILTERS.includes(field));
}

const NO_PAGE: Choice = { field: 'page', token: undefined };

/** Every field of what a search finds, whatever page it asks for. */
export function exportTransactions(world: World, caller: Caller, command: Request<'export'>): Prediction {
  const { body, inOrder } = searchOf(world, caller, command);
  const { isCsv, form } = command;
  const headers = acceptHeader(isCsv);
  const call = callOf(caller, 'POST', `${PATH}/export?bom=false${form.query}`, { body: body.text, headers });
  if (body.faults.length > 0) return { call, outcomes: [invalid(body.faults)] };
  const rows = inOrder(world.transactionsOf(caller)).map((transaction) => transaction.body);
  const file = { isCsv, form, fields: TRANSACTION_FIELDS, rows };
  return { call, outcomes: [{ status: 200, file }] };
}

/** The body of a search, and what it finds among rows. */
function searchOf(world: World, caller: Caller, { property, choices }: Request<'search' | 'export'>) {
  const ref = property && world.target('properties', property, caller);
  const target: Record<string, Choice> = ref?.isWellFormed
    ? { propertyId: { field: 'propertyId', token: ref.text } }
    : {};
  const body = bodyOf(target, choices);
  const inOrder = (rows: readonly ModelTransaction[]): ModelTransaction[] => {
    const found = new Map(rows.map((transaction) => [transaction.row, transaction]));
    return expectedMatches([...found.keys()], fieldsOf(body.tokens)).map((row) => found.get(row)!);
  };
  return { target, body, inOrder };
}

const KNOWN = new Set(SEARCH_CHOICES.wrong.map(({ field }) => field));

/** Numbers as they stand in the body; what is null is not there. */
function fieldsOf(tokens: Readonly<Record<string, string>>): SearchFields & Paging {
  const given = Object.entries(tokens).filter(([field, token]) => KNOWN.has(field) && token !== 'null');
  return Object.fromEntries(given.map(([field, token]) => [field, valueIn(field, token)]));
}

interface Paging {
  page?: string;
  size?: string;
}

const WHOLE = ['propertyId', 'page', 'size'];

function valueIn(field: string, token: string): unknown {
  if (!/^[-\d]/.test(token)) return JSON.parse(token) as unknown;
  return WHOLE.includes(field) ? String(BigInt(token.replace(/\.0+$/, ''))) : token;
}
