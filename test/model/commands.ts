import fc, { type Arbitrary } from 'fast-check';
import { parse } from 'lossless-json';
import { PROPERTY_SORT_FIELDS, TRANSACTION_SORT_FIELDS } from '../support/contract.js';
import type { Told } from '../support/problem-document.js';
import { type BodyChoices, type Choice, PROPERTY, SEARCHED, TRANSACTION } from './bodies.js';
import { repeat } from './keys.js';
import { type QueryPart, walkOn } from './lists.js';
import { type Call, mismatch, type Outcome, type Prediction, refused, type Sql } from './outcomes.js';
import { createProperty, listProperties, putProperty } from './properties.js';
import { deleting, reading } from './rows.js';
import { listTransactions, search } from './transaction-lists.js';
import { createTransaction, putTransaction } from './transactions.js';
import type { JsonObject } from './values.js';
import type { Caller, CallerRef, Ref, World } from './world.js';

/** The service, and its database. */
export interface Real {
  readonly send: (call: Call) => Promise<Told>;
  readonly sql: Sql;
}

type ModelCommand = fc.AsyncCommand<World, Real>;
type Weighted = fc.WeightedArbitrary<ModelCommand>;
type Oracle<Fields> = (world: World, caller: Caller, fields: Fields) => Prediction | undefined;

const REALM = 'Bearer realm="property-finance"';

const weighted = <T>(options: Readonly<Record<string, number>>): Arbitrary<T> =>
  fc.oneof(
    ...Object.entries(options).map(([value, weight]) => ({ weight, arbitrary: fc.constant(value as T) })),
  );

const caller = weighted<CallerRef>({
  'user 0': 30,
  'user 1': 20,
  'user 2': 12,
  admin: 26,
  nobody: 1,
  forged: 1,
});

/** An operation: its frequency, the values of a call and its oracle. */
function call<Fields extends object>(
  name: string,
  weight: number,
  fields: { readonly [Name in keyof Fields]: Arbitrary<Fields[Name]> },
  oracle: Oracle<Fields>,
): Weighted {
  const values = fc.record({ caller, fields: fc.record(fields) as Arbitrary<Fields> });
  const arbitrary = values.map(({ caller: ref, fields: given }): ModelCommand => {
    const predict = (world: World): Prediction | undefined => {
      const who = world.caller(ref);
      const prediction = oracle(world, who, given);
      const refusal = refusalOf(who);
      return prediction && refusal ? { ...prediction, outcomes: [refusal] } : prediction;
    };
    return {
      check: (world) => predict(world) !== undefined,
      run: (world, real) => step(world, real, ref, predict(world)!),
      toString: () => `${ref}: ${name}`, // the transcript has the rest
    };
  });
  return { weight, arbitrary };
}

function refusalOf({ token, account }: Caller): Outcome | undefined {
  if (account !== undefined) return undefined;
  const challenge = token === undefined ? REALM : `${REALM}, error="invalid_token"`;
  return refused('authentication-required', { 'www-authenticate': challenge });
}

/** Throws for another response than the predicted one. */
async function step(
  world: World,
  real: Real,
  who: string,
  { call: sent, outcomes }: Prediction,
): Promise<void> {
  const { method, target, headers = {}, body = '' } = sent;
  world.transcript.push(`${who}: ${method} ${target} ${JSON.stringify(headers)} ${body}`);
  const before = Date.now();
  const answer = await real.send(sent);
  const received = Date.now();
  const reasons = outcomes.map((outcome) => mismatch(outcome, answer, target.split('?')[0]!));
  const outcome = outcomes[reasons.indexOf(undefined)];
  if (outcome === undefined) throw new Error(reasons.join('\nor '));
  const json = outcome.body === undefined ? {} : (parse(answer.text) as JsonObject);
  await outcome.settle?.({ answer, body: json, sent: before, received }, real.sql);
}

function optional<T>(arbitrary: Arbitrary<T>, freq: number): Arbitrary<T | undefined> {
  return fc.option(arbitrary, { nil: undefined, freq });
}

const index = fc.nat(999);
const id: Arbitrary<Ref> = fc.record({ of: weighted<Ref['of']>({ mine: 30, any: 5, odd: 1 }), index });
const match = index;
/** Few, so that a key comes again with another body. */
const key = optional(fc.nat(5), 2);

/** Mostly right: a fault ends a call early. */
function choices({ right, wrong }: BodyChoices, most: number): Arbitrary<readonly Choice[]> {
  const rightOnes = fc.array(fc.constantFrom(...right), { maxLength: most });
  const wrongOnes = fc.array(fc.constantFrom(...wrong), { minLength: 1, maxLength: 3 });
  const both = fc.tuple(rightOnes, wrongOnes).map((parts) => parts.flat());
  return fc.oneof({ weight: 12, arbitrary: rightOnes }, { weight: 1, arbitrary: both });
}

function query(fields: readonly string[]): Arbitrary<readonly QueryPart[]> {
  const part = (name: string, text: unknown, value?: QueryPart['value']): QueryPart => ({
    name,
    text: `${name}=${String(text)}`,
    value,
  });
  const sorts = fields.flatMap((field) => [
    part('sort', field, [field, 'asc']),
    part('sort', `${field},asc`, [field, 'asc']),
    part('sort', `${field},desc`, [field, 'desc']),
    part('sort', `${field}%2CDESC`, [field, 'desc']),
  ]);
  const pages = [0, 0, 1, 1, 2, 3, 50, 2_147_483_647].map((page) => part('page', page, page));
  const sizes = [1, 2, 3, 5, 7, 20, 100].map((size) => part('size', size, size));
  const wrong = [
    ...['-1', '2147483648', '1.0', '', 'x', '01', '%2B1'].map((text) => part('page', text)),
    ...['0', '101', '-5', '1e1', '', '99999999999999999999'].map((text) => part('size', text)),
    ...['', 'none', 'id,up', 'Name', 'id,asc,desc', 'version', '%20id'].map((text) => part('sort', text)),
  ];
  const parts = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...sorts) },
    { weight: 5, arbitrary: fc.constantFrom(...sizes) },
    { weight: 4, arbitrary: fc.constantFrom(...pages) },
    { weight: 1, arbitrary: fc.constant(part('cursor', '', 0)) },
    { weight: 1, arbitrary: fc.constantFrom(part('other', 1, 1), ...wrong) },
  );
  return fc.array(parts, { maxLength: 4 });
}

const propertyFields = { choices: choices(PROPERTY, 8) };
const transactionFields = { property: id, choices: choices(TRANSACTION, 14) };
const transactionQuery = query(TRANSACTION_SORT_FIELDS);

const OPERATIONS: readonly Weighted[] = [
  call('create property', 110, { ...propertyFields, key }, createProperty),
  call('read property', 50, { id, match }, reading('properties')),
  call('replace property', 70, { ...propertyFields, id, match }, putProperty),
  call('delete property', 25, { id, match }, deleting('properties')),
  call('list properties', 80, { query: query(PROPERTY_SORT_FIELDS) }, listProperties),
  call('create transaction', 170, { ...transactionFields, key }, createTransaction),
  call('read transaction', 60, { id, match }, reading('transactions')),
  call('replace transaction', 120, { ...transactionFields, id, match }, putTransaction),
  call('delete transaction', 50, { id, match }, deleting('transactions')),
  call('list transactions', 80, { query: transactionQuery }, listTransactions),
  call('list transactions of', 70, { id, query: transactionQuery }, listTransactions),
  call('search', 105, { property: optional(id, 3), choices: choices(SEARCHED, 5) }, search),
  call('repeat', 35, { index }, repeat),
  call('next page', 100, { index }, walkOn),
];

/** Enough calls for pages of the default size to fill. */
const LONGEST = 300;

/** Sequences of calls; shrinking leaves out calls that a failure does not need. */
export function sequences(replayPath: string | undefined) {
  const commands = fc.commands([fc.oneof(...OPERATIONS)], {
    maxCommands: LONGEST,
    size: 'max',
    ...(replayPath === undefined ? {} : { replayPath }),
  });
  return fc.noBias(commands);
}
