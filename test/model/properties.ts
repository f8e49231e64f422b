import { isLosslessNumber } from 'lossless-json';
import { PROPERTY_FIELDS } from '../support/contract.js';
import { type Body, bodyOf, type Choice, PROPERTY_BASE } from './bodies.js';
import { keep, keptOutcome, keyHeader } from './keys.js';
import { pageOf, type QueryPart, readQuery, sorting } from './lists.js';
import {
  type Answered,
  callOf,
  invalid,
  type Outcome,
  type Prediction,
  requireEqual,
  requireNow,
  type Sql,
} from './outcomes.js';
import { type Matched, putOne } from './rows.js';
import { type JsonObject, newId, numberIn, whole } from './values.js';
import type { Caller, ModelProperty, World } from './world.js';

const PATH = '/api/properties';

interface Chosen {
  readonly choices: readonly Choice[];
}

export function createProperty(
  world: World,
  caller: Caller,
  { choices, key }: Chosen & { readonly key: number | undefined },
): Prediction {
  const body = bodyOf(PROPERTY_BASE, choices);
  const call = callOf(caller, 'POST', PATH, { body: body.text, headers: keyHeader(key) });
  if (body.faults.length > 0) return { call, outcomes: [invalid(body.faults)] };
  const ownerId = caller.account?.id ?? 0;
  const kept = keptOutcome(world, caller, ownerId, call);
  if (kept !== undefined) return { call, outcomes: [kept] };
  const outcome: Outcome = {
    status: 200,
    body: responseOf(newId(world.seen.properties), ownerId, body),
    headers: { etag: '"1"', 'idempotent-replayed': undefined },
    async settle(answered, sql) {
      const property = await storedIn(answered, sql, ownerId, 1);
      requireEqual('location', answered.answer.headers.get('location'), `${PATH}/${property.id}`);
      requireEqual('updatedAt', property.columns['updatedAt'], property.columns['createdAt']);
      world.seen.properties.push(property.id);
      world.properties.set(property.id, property);
      keep(world, ownerId, ownerId, call, answered);
    },
  };
  return { call, outcomes: [outcome] };
}

export function putProperty(world: World, caller: Caller, command: Matched & Chosen): Prediction {
  const body = bodyOf(PROPERTY_BASE, command.choices);
  return putOne(world, caller, 'properties', command, body, [], ({ id, ownerId, columns }, version) => ({
    status: 200,
    body: responseOf(whole(id), ownerId, body),
    async settle(answered, sql) {
      const property = await storedIn(answered, sql, ownerId, version);
      requireEqual('createdAt', property.columns['createdAt'], columns['createdAt']);
      world.properties.set(id, property);
    },
  }));
}

export function listProperties(
  world: World,
  caller: Caller,
  { query }: { readonly query: readonly QueryPart[] },
): Prediction {
  const listing = readQuery(query, ['id', 'asc']);
  const call = callOf(caller, 'GET', PATH + listing.text);
  if (listing.faults.length > 0) return { call, outcomes: [invalid(listing.faults)] };
  if (listing.hasTwoPlaces) return { call, outcomes: [invalid(['cursor'])] };
  const list = {
    call,
    rows: (one: Caller) => world.visible('properties', one),
    inOrder: sorting<ModelProperty>(listing, (field, { columns }) => columns[field]!),
    elementOf: ({ body }: ModelProperty) => body,
  };
  return { call, outcomes: [pageOf(world, caller, list, listing)] };
}

/** PropertyResponse. */
function responseOf(id: unknown, ownerId: number, { values }: Body): JsonObject {
  const fields = PROPERTY_FIELDS.map((field) => [field, values[field] ?? null] as const);
  return { ...Object.fromEntries(fields), id, ownerId: whole(ownerId) };
}

/** No response has its times, but lists sort by them. */
async function storedIn(
  answered: Answered,
  sql: Sql,
  ownerId: number,
  version: number,
): Promise<ModelProperty> {
  const { body } = answered;
  const id = numberIn(body['id']);
  const [row] = await sql<{ created_at: Date; updated_at: Date }>(
    'SELECT created_at, updated_at FROM properties WHERE id = $1',
    [id],
  );
  const [createdAt, updatedAt] = [row!.created_at.toISOString(), row!.updated_at.toISOString()];
  requireNow('updatedAt', updatedAt, answered);
  const fields = Object.entries(body).map(([field, value]) => [
    field,
    isLosslessNumber(value) ? Number(value.value) : value, // at most ten digits
  ]);
  const others = { id, createdAt, updatedAt, date: createdAt, amount: numberIn(body['basePrice']) };
  const columns = { ...Object.fromEntries(fields), ...others } as ModelProperty['columns'];
  return { id, ownerId, version, body, columns };
}
