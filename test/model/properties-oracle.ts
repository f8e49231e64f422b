import { LosslessNumber } from 'lossless-json';
import { PROPERTY_FIELDS } from '../support/contract.js';
import type { Sortable } from '../support/ordering.js';
import { type Body, bodyOf } from './bodies.js';
import { PROPERTY_BASE } from './choices.js';
import {
  type CreateProperty,
  type DeleteOne,
  type ExportProperties,
  type PutProperty,
  type Query,
  type ReadOne,
} from './commands.js';
import { type JsonObject } from './difference.js';
import { acceptHeader } from './files.js';
import { newId, numberIn, propertyTimes, requireEqual, requireNow, type Times } from './unknowns.js';
import { readQuery, sorted } from './lists.js';
import {
  CONFLICT,
  DELETED,
  invalid,
  invalidParts,
  NOT_FOUND,
  type Outcome,
  type Prediction,
  refused,
} from './outcomes.js';
import { keep, keyHeader, keptOutcome } from './keys.js';
import { readOne, refusalOf } from './one-resource.js';
import { precondition } from './preconditions.js';
import { pageOf } from './walks.js';
import type { Caller, ModelProperty, World } from './world.js';

const PATH = '/api/properties';
const NULLABLE = ['description', 'strPermitNumber', 'houseRules', 'checkInInstructions'];

export function createProperty(world: World, caller: Caller, { choices, key }: CreateProperty): Prediction {
  const body = bodyOf(PROPERTY_BASE, choices);
  const call = {
    method: 'POST',
    target: PATH,
    token: caller.token,
    body: body.text,
    headers: keyHeader(key),
  };
  if (body.faults.length > 0) return { call, outcomes: [invalid(body.faults)] };
  const kept = keptOutcome(world, caller, caller.account?.id, call);
  if (kept !== undefined) return { call, outcomes: [kept] };
  const expected = responseOf(newId(world.seen.properties), caller.account?.id ?? 0, body);
  const outcome: Outcome = {
    status: 200,
    body: expected,
    headers: { etag: '"1"', 'idempotent-replayed': undefined },
    async settle(answered, sql) {
      const id = numberIn(answered.body['id']);
      requireEqual('location', answered.answer.headers.get('location'), `${PATH}/${id}`);
      const times = await propertyTimes(sql, id);
      requireNow('created_at', times.created, answered);
      requireEqual('updated_at', times.updated, times.created);
      world.seen.properties.push(id);
      world.properties.set(id, stored(id, caller.account!.id, 1, answered.body, times));
      keep(world, caller.account!.id, caller.account!.id, call, answered);
    },
  };
  return { call, outcomes: [outcome] };
}

export function readProperty(world: World, caller: Caller, { id, match }: ReadOne): Prediction {
  const target = world.target('properties', id, caller);
  return readOne(PATH, caller, target, world.property(target, caller), match);
}

export function putProperty(world: World, caller: Caller, command: PutProperty): Prediction {
  const target = world.target('properties', command.id, caller);
  const found = world.property(target, caller);
  const body = bodyOf(PROPERTY_BASE, command.choices);
  const condition = precondition('If-Match', command.match, found?.version);
  const call = {
    method: 'PUT',
    target: `${PATH}/${target.text}`,
    token: caller.token,
    body: body.text,
    headers: condition.headers,
  };
  const faults = invalidParts(target.isWellFormed ? [] : ['id'], body.faults);
  if (faults.length > 0) return { call, outcomes: faults };
  if (found === undefined) return { call, outcomes: [NOT_FOUND] };
  if (!condition.strong) return { call, outcomes: [CONFLICT] };
  return { call, outcomes: [updated(world, found, body)] };
}

function updated(world: World, found: ModelProperty, body: Body): Outcome {
  const version = found.version + 1;
  return {
    status: 200,
    body: responseOf(new LosslessNumber(String(found.id)), found.ownerId, body),
    headers: { etag: `"${version}"`, location: undefined },
    async settle(answered, sql) {
      const times = await propertyTimes(sql, found.id);
      requireEqual('created_at', times.created, found.columns['createdAt']);
      requireNow('updated_at', times.updated, answered);
      world.properties.set(found.id, stored(found.id, found.ownerId, version, answered.body, times));
    },
  };
}

export function deleteProperty(world: World, caller: Caller, { id, match }: DeleteOne): Prediction {
  const target = world.target('properties', id, caller);
  const found = world.property(target, caller);
  const condition = precondition('If-Match', match, found?.version);
  const call = {
    method: 'DELETE',
    target: `${PATH}/${target.text}`,
    token: caller.token,
    headers: condition.headers,
  };
  const refusal = refusalOf(target, found);
  if (refusal !== undefined) return { call, outcomes: [refusal] };
  const conflicts = [
    ...(condition.strong ? [] : [CONFLICT]),
    ...(isInUse(world, found!) ? [refused('resource-in-use')] : []),
  ];
  if (conflicts.length > 0) return { call, outcomes: conflicts };
  return { call, outcomes: [{ ...DELETED, settle: () => void world.properties.delete(found!.id) }] };
}

export function listProperties(world: World, caller: Caller, query: Query): Prediction {
  const listing = readQuery(query, ['id', 'asc']);
  const call = { method: 'GET', target: PATH + listing.text, token: caller.token };
  if (listing.faults.length > 0) return { call, outcomes: [invalid(listing.faults)] };
  if (listing.hasTwoPlaces) return { call, outcomes: [invalid(['cursor'])] };
  const list = {
    call,
    rows: () => world.propertiesOf(caller),
    inOrder: (rows: readonly ModelProperty[]) =>
      sorted(rows, listing.keys, (field) => (row) => row.columns[field]!),
    elementOf: ({ body }: ModelProperty) => body,
  };
  return { call, outcomes: [pageOf(world, caller, list, listing)] };
}

export function exportProperties(
  world: World,
  caller: Caller,
  { query, isCsv }: ExportProperties,
): Prediction {
  const listing = readQuery(
    query.filter(({ name }) => name === 'sort'),
    ['id', 'asc'],
  );
  const headers = acceptHeader(isCsv);
  const call = { method: 'GET', target: `${PATH}/export${listing.text}`, token: caller.token, headers };
  if (listing.faults.length > 0) return { call, outcomes: [invalid(listing.faults)] };
  const rows = sorted(world.propertiesOf(caller), listing.keys, (field) => (row) => row.columns[field]!);
  const file = { isCsv, fields: PROPERTY_FIELDS, rows: rows.map(({ body }) => body) };
  return { call, outcomes: [{ status: 200, file }] };
}

function isInUse(world: World, { id }: ModelProperty): boolean {
  return [...world.transactions.values()].some(({ propertyId }) => propertyId === id);
}

/** PropertyResponse. */
function responseOf(id: unknown, ownerId: number, { values }: Body): JsonObject {
  return {
    id,
    ownerId: new LosslessNumber(String(ownerId)),
    name: values['name'],
    address: values['address'],
    basePrice: values['basePrice'],
    maxGuests: values['maxGuests'],
    bedrooms: values['bedrooms'],
    bathrooms: values['bathrooms'],
    active: values['active'],
    ...Object.fromEntries(NULLABLE.map((field) => [field, values[field] ?? null])),
  };
}

function stored(id: number, ownerId: number, version: number, body: JsonObject, times: Times): ModelProperty {
  const text = (field: string): Sortable => body[field] as string;
  const number = (field: string): number => numberIn(body[field]);
  const { created, updated: last } = times;
  const columns = {
    id,
    name: text('name'),
    address: text('address'),
    basePrice: number('basePrice'), // at most ten digits
    maxGuests: number('maxGuests'),
    bedrooms: number('bedrooms'),
    bathrooms: number('bathrooms'),
    active: body['active'] as boolean,
    createdAt: created,
    updatedAt: last,
    date: created,
    amount: number('basePrice'),
  };
  return { id, ownerId, version, body, columns };
}
