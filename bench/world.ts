import pg from 'pg';
import { claimsOf, forge } from '../test/support/forged-token.js';
import { ADMIN, type Dataset, FIRST_ORDINARY, READER, WRITER } from './dataset.js';

/** How many different accounts, rows and properties the requests name. */
const SAMPLE = 512;
const WRITTEN_SAMPLE = 4096;

export interface Row {
  readonly id: string;
  readonly ownerId: string;
  readonly propertyId: string;
}

/** The parts of the requests of all cases: ids that exist, and the tokens of their owners. */
export interface World {
  readonly dataset: Dataset;
  /** Properties of ordinary owners; `id` and `propertyId` are the same. */
  readonly properties: readonly Row[];
  /** Transactions of the large owner that is read, and of the one that is written. */
  readonly read: readonly Row[];
  readonly written: readonly Row[];
  /** The Authorization header of an account. */
  authorization(account: string | number): string;
}

export async function loadWorld(url: string, dataset: Dataset): Promise<World> {
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  pool.on('error', () => undefined);
  try {
    const sample = async (text: string, values: unknown[]): Promise<Row[]> =>
      (await pool.query<Row>(text, values)).rows;
    return {
      dataset,
      properties: await sample(PROPERTIES, [FIRST_ORDINARY, SAMPLE]),
      read: await sample(TRANSACTIONS, [READER, SAMPLE]),
      written: await sample(TRANSACTIONS, [WRITER, WRITTEN_SAMPLE]),
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
const TRANSACTIONS = `
  SELECT id, owner_id AS "ownerId", property_id AS "propertyId" FROM transactions WHERE owner_id = $1
   ORDER BY hashint8(id) LIMIT $2`;

function authorization(account: string | number): string {
  const authorities = [account === ADMIN ? 'ROLE_ADMIN' : 'ROLE_USER'];
  return `Bearer ${forge({ payload: claimsOf({ id: String(account) }, { authorities }) })}`;
}
