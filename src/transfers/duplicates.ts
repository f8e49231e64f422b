import { hash } from 'node:crypto';
import type { RunStatement, Statement } from '../database/database.js';
import { Fault } from '../common/validation/field.js';
import type { ImportQuery, TransactionRow } from './dto/transfers.request.js';
import { stored } from '../transactions/transactions.repository.js';

/** A valid row of a file; its property, by name or id, and duplicates are looked up later. */
export interface Row extends Pick<TransactionRow, 'id' | 'version' | 'propertyName' | 'amount'> {
  readonly line: number;
  readonly propertyId: string | undefined;
  /** JSON of its other fields without the first brace: objects would take ten times the memory of the file. */
  readonly record: Buffer;
  /** In UTC. */
  readonly day: string;
  /** Equal in duplicates of one property: the reference, or a hash, which {@link ALIKE} computes of stored transactions. */
  readonly key: string;
}

export function rowOf(line: number, row: TransactionRow, { mode, by }: ImportQuery): Row | Fault {
  const { propertyId, propertyName, ...fields } = row;
  const { id, version, amount, date, paymentReference, type, description, vendor } = fields;
  const record = Buffer.from(JSON.stringify(mode === 'create' ? stored(fields) : fields).slice(1));
  const read = { line, id, version, propertyId, propertyName, amount, record };
  if (mode === 'update') return { ...read, day: '', key: '' };
  const day = date.slice(0, 10);
  if (by === 'reference')
    return paymentReference
      ? { ...read, day, key: paymentReference }
      : new Fault([['paymentReference', 'is required with by=reference']]);
  const texts = paymentReference ? [paymentReference] : [description, ...(vendor === null ? [] : [vendor])];
  const content = [...(paymentReference ? [] : [type]), ...texts.map((text) => JSON.stringify(text))];
  return { ...read, day, key: hash('sha256', [amount, day, ...content].join(' ')) };
}

/**
 * Stored transactions by key. $1 owner, $2 first and $3 last day, $4 amounts, $5 keys, $6 most ids a key. Type,
 * description and vendor stand in for a missing reference. The lists are hashed: PostgreSQL would nest a join where it
 * expects few rows. `+ 0` rules out the index by amount.
 */
export const ALIKE: Statement = {
  text: `SELECT k.key, (array_agg(k.id ORDER BY k.id))[1:$6::integer]::text[] AS ids
           FROM (SELECT t.id, t.property_id || ' ' || encode(sha256(convert_to(concat_ws(' ', t.amount,
                          to_char(t.date AT TIME ZONE 'UTC', 'YYYY-MM-DD'),
                          coalesce(to_json(nullif(t.payment_reference, ''))::text,
                            concat_ws(' ', t.type, to_json(t.description), to_json(t.vendor)))), 'UTF8')), 'hex') AS key
                   FROM transactions t
                  WHERE t.owner_id = $1 AND t.date >= $2::timestamptz AND t.date < $3::timestamptz + interval '1 day'
                    AND t.amount + 0 = ANY ($4::numeric[])
                  OFFSET 0) k
          WHERE k.key = ANY ($5::text[])
          GROUP BY k.key`,
};

/** $1 owner, $2 references, $3 most ids a reference. Every row of the owner is read: its day may have been corrected. */
export const OF_REFERENCES: Statement = {
  text: `SELECT t.payment_reference AS key, (array_agg(t.id ORDER BY t.id))[1:$3::integer]::text[] AS ids
           FROM transactions t
          WHERE t.owner_id = $1 AND t.payment_reference = ANY ($2::text[]) GROUP BY t.payment_reference`,
};

/** Rows that are stored already, with the transaction that each repeats. Of two equal rows with one stored, one is new. */
export async function duplicatesOf(
  run: RunStatement,
  ownerId: string,
  rows: readonly Row[],
  by: ImportQuery['by'],
): Promise<[row: Row, id: string][]> {
  const keyOf = ({ propertyId, key }: Row): string => (by === 'reference' ? key : `${propertyId} ${key}`);
  const days = rows.map(({ day }) => day).sort();
  const keys = [...new Set(rows.map(keyOf))];
  const amounts = [...new Set(rows.map(({ amount }) => amount))];
  const found: { key: string; ids: string[] }[] = await (by === 'reference'
    ? run(OF_REFERENCES, [ownerId, keys, rows.length])
    : run(ALIKE, [ownerId, `${days[0]}T00:00Z`, `${days.at(-1)}T00:00Z`, amounts, keys, rows.length]));
  const stored = new Map(found.map(({ key, ids }) => [key, ids]));
  return rows.flatMap((row) => {
    const id = stored.get(keyOf(row))?.shift();
    return id === undefined ? [] : [[row, id]];
  });
}
