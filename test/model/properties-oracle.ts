import { isLosslessNumber } from 'lossless-json';
import { PROPERTY_FIELDS } from '../support/contract.js';
import { type Body, bodyOf } from './bodies.js';
import { PROPERTY_BASE } from './choices.js';
import type { Matched, Request } from './commands.js';
import { type JsonObject } from './difference.js';
import { acceptHeader } from './files.js';
import { newId, numberIn, propertyTimes, requireEqual, requireNow, type Times, whole } from './unknowns.js';
import { readQuery, sorted } from './lists.js';
import { callOf, invalid, type Outcome, type Prediction, refused } from './outcomes.js';
import { keep, keyHeader, keptOutcome } from './keys.js';
import { type Addressed, deleteOne, putOne, readOne } from './one-resource.js';
import { pageOf } from './walks.js';
import type { Caller, ModelProperty, World } from './world.js';

const PATH = '/api/properties';

export function createProperty(
  world: World,
  caller: Caller,
  { choices, key }: Request<'createProperty'>,
): Prediction {
  const body = bodyOf(PROPERTY_BASE, choices);
  const call = callOf(caller, 'POST', PATH, { body: body.text, headers: keyHeader(key) });
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

function addressed(world: World, caller: Caller, { id, match }: Matched): Addressed<ModelProperty> {
  const target = world.target('properties', id, caller);
  return { path: PATH, caller, target, found: world.property(target, caller), match };
}

export function readProperty(world: World, caller: Caller, command: Request<'property'>): Prediction {
  return readOne(addressed(world, caller, command));
}

export function putProperty(world: World, caller: Caller, command: Request<'putProperty'>): Prediction {
  const body = bodyOf(PROPERTY_BASE, command.choices);
  return putOne(addressed(world, caller, command), body, [], (found) => updated(world, found, body));
}

function updated(world: World, found: ModelProperty, body: Body): Outcome {
  const version = found.version + 1;
  return {
    status: 200,
    body: responseOf(whole(found.id), found.ownerId, body),
    headers: { etag: `"${version}"`, location: undefined },
    async settle(answered, sql) {
      const times = await propertyTimes(sql, found.id);
      requireEqual('created_at', times.created, found.columns['createdAt']);
      requireNow('updated_at', times.updated, answered);
      world.properties.set(found.id, stored(found.id, found.ownerId, version, answered.body, times));
    },
  };
}

export function deleteProperty(world: World, caller: Caller, command: Request<'deleteProperty'>): Prediction {
  const one = addressed(world, caller, command);
  const id = one.found?.id ?? 0;
  const isInUse = [...world.transactions.values()].some(({ propertyId }) => propertyId === id);
  const refusals = isInUse ? [refused('resource-in-use')] : [];
  return deleteOne(one, refusals, () => void world.properties.delete(id));
}

export function listProperties(world: World, caller: Caller, { query }: Request<'properties'>): Prediction {
  const listing = readQuery(query, ['id', 'asc']);
  const call = callOf(caller, 'GET', PATH + listing.text);
  if (listing.faults.length > 0) return { call, outcomes: [invalid(listing.faults)] };
  if (listing.hasTwoPlaces) return { call, outcomes: [invalid(['cursor'])] };
  const list = {
    call,
    rows: (one: Caller) => world.propertiesOf(one),
    inOrder: (rows: readonly ModelProperty[]) =>
      sorted(rows, listing.keys, (field) => (row) => row.columns[field]!),
    elementOf: ({ body }: ModelProperty) => body,
  };
  return { call, outcomes: [pageOf(world, caller, list, listing)] };
}

export function exportProperties(
  world: World,
  caller: Caller,
  { query, isCsv, form }: Request<'exportProperties'>,
): Prediction {
  const listing = readQuery(
    query.filter(({ name }) => name === 'sort'),
    ['id', 'asc'],
  );
  const target = `${PATH}/export${listing.text || '?bom=false'}${form.query}`;
  const call = callOf(caller, 'GET', target, { headers: acceptHeader(isCsv) });
  if (listing.faults.length > 0) return { call, outcomes: [invalid(listing.faults)] };
  const rows = sorted(world.propertiesOf(caller), listing.keys, (field) => (row) => row.columns[field]!);
  const file = { isCsv, form, fields: PROPERTY_FIELDS, rows: rows.map(({ body }) => body) };
  return { call, outcomes: [{ status: 200, file }] };
}

/** PropertyResponse. */
function responseOf(id: unknown, ownerId: number, { values }: Body): JsonObject {
  const fields = PROPERTY_FIELDS.map((field) => [field, values[field] ?? null] as const);
  return { ...Object.fromEntries(fields), id, ownerId: whole(ownerId) };
}

function stored(id: number, ownerId: number, version: number, body: JsonObject, times: Times): ModelProperty {
  const fields = Object.entries(body).map(([field, value]) => [
    field,
    isLosslessNumber(value) ? Number(value.value) : value, // at most ten digits
  ]);
  const { created: createdAt, updated: updatedAt } = times;
  const others = { id, createdAt, updatedAt, date: createdAt, amount: numberIn(body['basePrice']) };
  const columns = { ...Object.fromEntries(fields), ...others } as ModelProperty['columns'];
  return { id, ownerId, version, body, columns };
}
