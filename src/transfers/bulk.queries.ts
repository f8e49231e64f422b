import type { Statement } from '../database/database.js';
import { PROPERTY_OF_ENTRY } from '../transactions/transactions.queries.js';

/** $1 the properties. For ADMIN, who files for whoever owns them. */
export const OWNERS_OF_PROPERTIES: Statement = {
  name: 'transfers.owners_of_properties',
  text: 'SELECT p.id, p.owner_id FROM properties p WHERE p.id = ANY ($1::bigint[])',
};

/** $1 owner, $2 the properties: those that are there, and will be until the transaction ends. */
export const HOLD_PROPERTIES: Statement = {
  name: 'transfers.hold_properties',
  text: `SELECT p.id FROM properties p WHERE p.owner_id = $1 AND p.id = ANY ($2::bigint[]) ORDER BY p.id FOR KEY SHARE`,
};

/** $1 owner. One import of an owner comes after another, so that the second sees what the first has stored. */
export const HOLD_OWNER: Statement = {
  name: 'transfers.hold_owner',
  text: 'SELECT o.owner_id FROM owner_totals o WHERE o.owner_id = $1 FOR NO KEY UPDATE',
};

/** Null is like null, and unlike the empty text. */
const comparable = (reference: string): string => `coalesce('=' || ${reference}, '')`;

/**
 * $1 owner, $2 and $3 the first and the last day, $4 rows as JSON, no two of them alike: line → a transaction that is like
 * it. The owner's entries of these days are looked through once, however many rows there are.
 */
export const ALIKE: Statement = {
  text: `SELECT r.line, min(t.id) AS id
           FROM json_to_recordset($4::json)
                  AS r(line integer, property_id bigint, amount numeric, day date, reference text), transactions t
          WHERE t.owner_id = $1 AND t.date >= $2::timestamptz AND t.date < $3::timestamptz + interval '1 day'
            AND ${PROPERTY_OF_ENTRY} = r.property_id AND t.amount = r.amount
            AND (t.date AT TIME ZONE 'UTC')::date = r.day
            AND ${comparable('t.payment_reference')} = ${comparable('r.reference')}
          GROUP BY r.line`,
};
