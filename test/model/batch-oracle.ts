import type { Request } from './commands.js';
import type { JsonObject } from './difference.js';
import { keep, keyHeader, keptOutcome } from './keys.js';
import { callOf, invalid, NOT_FOUND, type Outcome, type Prediction } from './outcomes.js';
import { learn, newResponse, requestOf } from './transactions-oracle.js';
import type { Caller, World } from './world.js';

/** All transactions or, for a fault in one of them, none. */
export function batch(world: World, caller: Caller, { rows, key }: Request<'batch'>): Prediction {
  const requests = rows.map((row) => requestOf(world, caller, row));
  const text = `{"transactions":[${requests.map(({ body }) => body.text).join(',')}]}`;
  const call = callOf(caller, 'POST', '/api/transactions/batch', { headers: keyHeader(key), body: text });
  const faults = requests.flatMap(({ body }, index) =>
    body.faults.map((fault) => `transactions[${index}].${fault}`),
  );
  if (rows.length === 0) faults.push('transactions');
  if (faults.length > 0) return { call, outcomes: [invalid(faults)] };
  const kept = keptOutcome(world, caller, caller.account?.id, call);
  if (kept !== undefined) return { call, outcomes: [kept] };
  const recorded = requests.flatMap(({ property, body }) => (property ? [{ property, body }] : []));
  if (recorded.length < rows.length) return { call, outcomes: [NOT_FOUND] };
  const outcome: Outcome = {
    status: 201,
    body: { transactions: recorded.map(({ property, body }) => newResponse(world, property, body)) },
    headers: { 'idempotent-replayed': undefined },
    settle(answered) {
      const told = answered.body['transactions'] as JsonObject[];
      for (const [index, row] of told.entries())
        learn(world, recorded[index]!.property.ownerId, row, answered);
      keep(world, caller.account!.id, caller.account!.id, call, answered);
    },
  };
  return { call, outcomes: [outcome] };
}
