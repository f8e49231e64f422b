import { expectedMatches, type SearchFields, valueOf } from '../support/search-oracle.js';
import { bodyOf } from './bodies.js';
import { type Choice, SEARCH_CHOICES } from './choices.js';
import type { Query, Ref, Search } from './commands.js';
import { type Listing, pageOf, readQuery, sorted } from './lists.js';
import { invalid, invalidParts, NOT_FOUND, type Outcome, type Prediction } from './outcomes.js';
import { summaryOf } from './transaction-body.js';
import type { Caller, ModelTransaction, World } from './world.js';

const PATH = '/api/transactions';

export function listTransactions(world: World, caller: Caller, query: Query): Prediction {
  const listing = readQuery(query, ['date', 'desc']);
  const call = { method: 'GET', target: PATH + listing.text, token: caller.token };
  if (listing.faults.length > 0) return { call, outcomes: [invalid(listing.faults)] };
  return { call, outcomes: [listed(world.transactionsOf(caller), listing)] };
}

export function listOfProperty(world: World, caller: Caller, id: Ref, query: Query): Prediction {
  const target = world.target('properties', id, caller);
  const property = world.property(target, caller);
  const listing = readQuery(query, ['date', 'desc']);
  const path = `${PATH}/property/${target.text}`;
  const call = { method: 'GET', target: path + listing.text, token: caller.token };
  const refusals = invalidParts(target.isWellFormed ? [] : ['propertyId'], listing.faults);
  if (refusals.length > 0) return { call, outcomes: refusals };
  if (property === undefined) return { call, outcomes: [NOT_FOUND] };
  const rows = world.transactionsOf(caller).filter(({ propertyId }) => propertyId === property.id);
  return { call, outcomes: [listed(rows, listing)] };
}

function listed(rows: readonly ModelTransaction[], listing: Listing): Outcome {
  const inOrder = sorted(
    rows,
    listing.keys,
    (field) =>
      ({ row }) =>
        valueOf(field)(row),
  );
  return { status: 200, body: pageOf(inOrder, listing, summaryOf) };
}

export function search(world: World, caller: Caller, { property, choices }: Search): Prediction {
  const target = property && world.target('properties', property, caller);
  const base: Record<string, Choice> = target?.isWellFormed
    ? { propertyId: { field: 'propertyId', token: target.text } }
    : {};
  const body = bodyOf(base, choices);
  const call = { method: 'POST', target: `${PATH}/search`, token: caller.token, body: body.text };
  if (body.faults.length > 0) return { call, outcomes: [invalid(body.faults)] };
  const { page, size, ...fields } = fieldsOf(body.tokens);
  const rows = world.transactionsOf(caller);
  const found = expectedMatches(
    rows.map(({ row }) => row),
    fields,
  ).map(({ id }) => world.transactions.get(id)!);
  const listing = { page: Number(page ?? 0), size: Number(size ?? 20) };
  return { call, outcomes: [{ status: 200, body: pageOf(found, listing, summaryOf) }] };
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
