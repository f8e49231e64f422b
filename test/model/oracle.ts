import { deleteUser, listUsers, me, readUser, signIn, signUp } from './accounts-oracle.js';
import type { Op, Request } from './commands.js';
import { otherRoute } from './other-routes.js';
import { type Outcome, type Prediction, refused } from './outcomes.js';
import {
  createProperty,
  deleteProperty,
  exportProperties,
  listProperties,
  putProperty,
  readProperty,
} from './properties-oracle.js';
import { exportTransactions, listOfProperty, listTransactions, search } from './transaction-lists-oracle.js';
import {
  createTransaction,
  deleteTransaction,
  putTransaction,
  readTransaction,
} from './transactions-oracle.js';
import { batch } from './batch-oracle.js';
import { importFile } from './import-oracle.js';
import { cashFlow } from './cash-flow-oracle.js';
import { profitAndLoss, taxYear } from './reports-oracle.js';
import { repeat } from './keys.js';
import { walkOn } from './walks.js';
import type { Caller, World } from './world.js';

const REALM = 'Bearer realm="property-finance"';
const ADMINS = new Set<Op>(['users', 'user', 'deleteUser']);
const PUBLIC = new Set<Op>(['signUp', 'signIn']);

/** What the contract says will happen: to whom it may happen comes before everything else. */
export function predict(world: World, command: Request): Prediction {
  const caller = world.caller(command.caller, indexOf(command));
  const prediction = (ORACLES[command.op] as Oracle<Op>)(world, caller, command);
  if (PUBLIC.has(command.op)) return prediction;
  const refusal = refusalOf(caller, prediction.isForAdmin ?? ADMINS.has(command.op));
  return refusal === undefined ? prediction : { ...prediction, outcomes: [refusal] };
}

function indexOf(command: Request): number {
  return 'id' in command ? command.id.index : 0;
}

function refusalOf({ token, account }: Caller, isForAdmin: boolean): Outcome | undefined {
  const challenge = token === undefined ? REALM : `${REALM}, error="invalid_token"`;
  if (account === undefined)
    return refused('authentication-required', { headers: { 'www-authenticate': challenge } });
  return isForAdmin && account.role !== 'ADMIN' ? refused('access-denied') : undefined;
}

type Oracle<O extends Op> = (world: World, caller: Caller, command: Request<O>) => Prediction;

const ORACLES: { readonly [O in Op]: Oracle<O> } = {
  signUp,
  signIn,
  me,
  users: listUsers,
  user: readUser,
  deleteUser,
  otherRoute,
  createProperty,
  property: readProperty,
  putProperty,
  deleteProperty,
  properties: listProperties,
  exportProperties,
  createTransaction,
  transaction: readTransaction,
  putTransaction,
  deleteTransaction,
  transactions: listTransactions,
  transactionsOfProperty: listOfProperty,
  search,
  export: exportTransactions,
  batch,
  import: importFile,
  repeat: (world, caller, { index }) => repeat(world, caller, index) ?? me(world, caller),
  walkOn: (world, caller, { index }) => walkOn(world, caller, index) ?? me(world, caller),
  profitAndLoss,
  taxYear,
  cashFlow,
};
