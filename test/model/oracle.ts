import { deleteUser, listUsers, me, readUser, signIn, signUp } from './accounts-oracle.js';
import type { DatabaseChange, Command } from './commands.js';
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

export type Request = Exclude<Command, DatabaseChange>;

const REALM = 'Bearer realm="property-finance"';
const ADMINS = new Set<Command['op']>(['users', 'user', 'deleteUser']);
const PUBLIC = new Set<Command['op']>(['signUp', 'signIn']);

/** What the contract says will happen: to whom it may happen comes before everything else. */
export function predict(world: World, command: Request): Prediction {
  const caller = world.caller(command.caller, indexOf(command));
  const prediction = predictFor(world, caller, command);
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

function predictFor(
  world: World,
  caller: Caller,
  command: Request,
): Prediction & { readonly isForAdmin?: boolean } {
  switch (command.op) {
    case 'signUp':
      return signUp(world, caller, command);
    case 'signIn':
      return signIn(world, caller, command);
    case 'me':
      return me(caller);
    case 'users':
      return listUsers(world, caller);
    case 'user':
      return readUser(world, caller, command.id);
    case 'deleteUser':
      return deleteUser(world, caller, command.id);
    case 'otherRoute':
      return otherRoute(caller, command.index);
    case 'createProperty':
      return createProperty(world, caller, command);
    case 'property':
      return readProperty(world, caller, command);
    case 'putProperty':
      return putProperty(world, caller, command);
    case 'deleteProperty':
      return deleteProperty(world, caller, command);
    case 'properties':
      return listProperties(world, caller, command.query);
    case 'exportProperties':
      return exportProperties(world, caller, command);
    case 'createTransaction':
      return createTransaction(world, caller, command);
    case 'transaction':
      return readTransaction(world, caller, command);
    case 'putTransaction':
      return putTransaction(world, caller, command);
    case 'deleteTransaction':
      return deleteTransaction(world, caller, command);
    case 'transactions':
      return listTransactions(world, caller, command.query);
    case 'transactionsOfProperty':
      return listOfProperty(world, caller, command.id, command.query);
    case 'search':
      return search(world, caller, command);
    case 'export':
      return exportTransactions(world, caller, command);
    case 'batch':
      return batch(world, caller, command);
    case 'import':
      return importFile(world, caller, command);
    case 'repeat':
      return repeat(world, caller, command.index) ?? me(caller);
    case 'walkOn':
      return walkOn(world, caller, command.index) ?? me(caller);
    case 'profitAndLoss':
      return profitAndLoss(world, caller, command);
    case 'taxYear':
      return taxYear(world, caller, command);
    case 'cashFlow':
      return cashFlow(world, caller, command);
  }
}
