import type { OwnerScope } from '../common/access/owner-scope.js';
import type { Statement } from '../database/database.js';
import { JsonView } from '../database/json-view.js';
import { type ListStatement, ownedList, preparedName } from '../database/lists/list-statement.js';
import { OwnedTable } from '../database/owned-table.js';
import { fieldsOf } from '../common/validation/fields.js';
import { notFound, type ProblemError } from '../common/problems/problem.js';
import { Transaction } from './transaction.entity.js';
import { SUMMARY_FIELDS, TransactionResponse } from './dto/transaction.response.js';
import { TransactionRequest } from './dto/transaction.request.js';
import { INDEXED, SORT_COLUMNS, type TransactionSort, UNINDEXED } from './transactions.sort.js';

export const TRANSACTION_VIEW = new JsonView(Transaction, fieldsOf(TransactionResponse));
export const SUMMARY_VIEW = new JsonView(Transaction, SUMMARY_FIELDS);

/** No account has this id. */
export const NO_OWNER = '0';

/** The number of the owner's transactions. */
export const OWNER_TOTAL: Statement = {
  name: 'transactions.owner_total',
  text: 'SELECT o.transactions FROM owner_totals o WHERE o.owner_id = $1',
};

/**
 * Long without an index in its order: any page reads all rows, or their index entries. The rows themselves are read in
 * half the time by a statement that is not prepared.
 */
export function transactionPage(scope: OwnerScope, sort: TransactionSort): ListStatement {
  const list = ownedList('transactions', SUMMARY_VIEW, scope, sort, SORT_COLUMNS);
  if (list.name !== undefined && sort.every(({ field }) => INDEXED.includes(field))) return list;
  const isPrepared = !sort.some(({ field }) => UNINDEXED.includes(field));
  return { ...list, isLong: true, name: isPrepared ? list.name : undefined };
}

/**
 * As the index by date has it. The one on the property itself, for the foreign key, is the wrong one: PostgreSQL takes
 * 20 rows of an owner's 200,000 for as many as the one property has, and would read them all to sort them.
 */
export const PROPERTY_OF_ENTRY = '(t.property_id + 0)';

/** Its total is null when the owner has no such property; a property that has lost its total is counted. */
export function propertyTransactionPage(
  ownerId: string,
  propertyId: string,
  sort: TransactionSort,
): ListStatement {
  const kept = 'SELECT k.transactions FROM property_totals k WHERE k.owner_id = $1 AND k.property_id = $2';
  const counted = 'SELECT count(*) FROM transactions t WHERE t.owner_id = $1 AND t.property_id = $2';
  const ofOwner = transactionPage({ ownerId }, sort);
  return {
    ...ofOwner,
    name: ofOwner.name && preparedName('transactions.of_property', sort),
    where: `t.owner_id = $1 AND ${PROPERTY_OF_ENTRY} = $2`,
    total: `coalesce((${kept}), (SELECT (${counted}) FROM properties p WHERE p.owner_id = $1 AND p.id = $2))`,
    values: [ownerId, propertyId],
  };
}

/**
 * Each write is a single statement, so that nothing can be half-written, and takes the property's name as it makes sure
 * whose property it is.
 */
export const TRANSACTIONS = new OwnedTable({
  entity: Transaction,
  request: TransactionRequest,
  view: TRANSACTION_VIEW,
  except: ['propertyId', 'propertyName'],
});

const { columns, kept } = TRANSACTIONS;

/** The property that is named is gone, or never was the owner's. */
const foreignKey = (): ProblemError => notFound('property');

/** $1 owner, $2 property, then the written values. The database adds the property's name (see the migration). */
const INSERT = `
  INSERT INTO transactions AS t (owner_id, property_id, ${columns})
  VALUES ($1, $2, ${TRANSACTIONS.placeholders(2)})`;

export const INSERT_TRANSACTION: Statement = { ...TRANSACTIONS.returning('insert', INSERT), foreignKey };

/** $1 owner, $2 a JSON array with id and {@link recordOf} of each row; the ids have been drawn before. */
const INSERT_MANY = `
  INSERT INTO transactions AS t (owner_id, id, property_id, ${columns})
  SELECT $1::bigint, id, property_id, ${columns}
    FROM json_to_recordset($2::json) AS r(id bigint, property_id bigint, ${TRANSACTIONS.definitions})`;

export const INSERT_TRANSACTIONS: Statement = {
  name: 'transactions.insert_many',
  text: INSERT_MANY,
  foreignKey,
};

export const INSERT_RETURNED_TRANSACTIONS: Statement = {
  ...TRANSACTIONS.returning('insert_many_returned', INSERT_MANY),
  foreignKey,
};

/** $1 how many. Drawn by a statement of its own: within one that writes, another server of a cluster would draw them. */
export const DRAW_TRANSACTION_IDS: Statement = {
  name: 'transactions.draw_ids',
  text: `SELECT nextval('transactions_id_seq') AS id FROM generate_series(1, $1::integer)`,
};

/** $1 owner, $2 id, $3 the version that was read, $4 property, then the written values. */
export const UPDATE_TRANSACTION: Statement = {
  ...TRANSACTIONS.returning(
    'update',
    `UPDATE transactions t SET property_id = p.id, property_name = p.name, ${TRANSACTIONS.assignments(4)}
       FROM properties p
      WHERE t.owner_id = $1 AND t.id = $2 AND t.version = $3 AND p.owner_id = $1 AND p.id = $4`,
  ),
  foreignKey,
};

/**
 * $1 owner, $2 id, $3 version, $4 new owner, $5 property, then the written values. The key holds the owner, so a
 * move is a deletion and an insertion, in one statement and under the same id; nothing is deleted unless there
 * is something to insert.
 */
export const MOVE_TRANSACTION: Statement = {
  ...TRANSACTIONS.returning(
    'move',
    `INSERT INTO transactions AS t (id, version, owner_id, property_id, property_name, ${kept.join(', ')}, ${columns})
     SELECT old.id, old.version + 1, p.owner_id, p.id, p.name, ${kept.map((column) => `old.${column}`).join(', ')},
            ${TRANSACTIONS.placeholders(5)}
       FROM old, properties p WHERE p.owner_id = $4 AND p.id = $5`,
    `old AS (
       DELETE FROM transactions t WHERE t.owner_id = $1 AND t.id = $2 AND t.version = $3
          AND EXISTS (SELECT 1 FROM properties p WHERE p.owner_id = $4 AND p.id = $5) RETURNING t.*)`,
  ),
  foreignKey,
};

/** The values to write, in the order of the columns. */
export function valuesOf(request: TransactionRequest): unknown[] {
  return TRANSACTIONS.values(stored(request));
}

/** A row of {@link INSERT_TRANSACTIONS}, but for its id. */
export function recordOf(request: TransactionRequest): object {
  return { property_id: request.propertyId, ...TRANSACTIONS.record(stored(request)) };
}

/** As the columns have them: the default of `frequency` depends on `recurring`; no tags and no metadata are NULL. */
function stored(request: TransactionRequest) {
  const { frequency, recurring, tags, metadata } = request;
  return Object.assign({}, request, {
    frequency: frequency ?? (recurring ? null : 'ONE_TIME'),
    tags: tags.length === 0 ? null : tags,
    metadata: Object.keys(metadata).length === 0 ? null : metadata,
  });
}
