import pg from 'pg';
import { claimsOf, forge } from '../test/support/forged-token.js';
import { ADMIN, FIRST_ORDINARY, LARGE } from './dataset.js';

/** How many different accounts, rows and properties the requests name. */
const SAMPLE = 512;
/** More than all rounds of both servers send: a repeated PUT would change nothing that an index has. */
const WRITTEN_SAMPLE = 65_536;

export interface Row {
  readonly id: string;
  readonly ownerId: string;
  readonly propertyId: string;
}

/** The parts of the requests of all cases: ids that exist, and the tokens of their owners. */
export interface World {
  /** How many transactions the large owner has. */
  readonly largeRows: number;
  /** Properties of ordinary owners; `id` and `propertyId` are the same. */
  readonly properties: readonly Row[];
  readonly largeProperties: readonly Row[];
  /** Transactions of the large owner. */
  readonly read: readonly Row[];
  /** Transactions of all owners; half of them with another property of the owner. */
  readonly written: readonly Row[];
  /** The Authorization header of an account. */
  authorization(account: string | number): string;
}

export async function loadWorld(url: string): Promise<World> {
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  pool.on('error', () => undefined);
  try {
    const sample = async (text: string, values: unknown[]): Promise<Row[]> =>
      (await pool.query<Row>(text, values)).rows;
    return {
      largeRows: (await pool.query<{ count: number }>(TRANSACTIONS_OF, [LARGE])).rows[0]?.count ?? 0,
      properties: await sample(PROPERTIES, [FIRST_ORDINARY, SAMPLE]),
      largeProperties: await sample(PROPERTIES_OF, [LARGE]),
      read: await sample(TRANSACTIONS, [LARGE, SAMPLE]),
      written: await sample(WRITTEN, [WRITTEN_SAMPLE]),
      authorization,
    };
  } finally {
    await pool.end();
  }
}

/** One property of each of so many ordinary owners. */
const PROPERTIES = `
  SELECT min(id) AS id, owner_id AS "ownerId", min(id) AS "propertyId" FROM properties WHERE owner_id >= $1
   GROUP BY owner_id ORDER BY hashint8(owner_id) LIMIT $2`;
const PROPERTIES_OF = `SELECT id, owner_id AS "ownerId", id AS "propertyId" FROM properties WHERE owner_id = $1`;
const TRANSACTIONS_OF = 'SELECT transactions::integer AS count FROM owner_totals WHERE owner_id = $1';
const TRANSACTIONS = `
  SELECT id, owner_id AS "ownerId", property_id AS "propertyId" FROM transactions WHERE owner_id = $1
   ORDER BY hashint8(id) LIMIT $2`;
/** Rows without notes: the others may have the rare term. */
const WRITTEN = `
  SELECT t.id, t.owner_id AS "ownerId",
         (SELECT p.id FROM properties p WHERE p.owner_id = t.owner_id
           ORDER BY (p.id = t.property_id) <> (t.id % 2 = 0) DESC, hashint8(p.id + t.id) LIMIT 1) AS "propertyId"
    FROM transactions t WHERE t.notes IS NULL ORDER BY hashint8(t.id) LIMIT $1`;

const headers = new Map<string, string>();

function authorization(account: string | number): string {
  const id = String(account);
  const authorities = [account === ADMIN ? 'ROLE_ADMIN' : 'ROLE_USER'];
  const header = headers.get(id) ?? `Bearer ${forge({ payload: claimsOf({ id }, { authorities }) })}`;
  headers.set(id, header);
  return header;
}
