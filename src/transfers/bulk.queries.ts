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

/**
 * $1 owner, $2 and $3 the first and the last day, $4 property, amount and day of rows, $5 these with the reference
 * (`duplicateKey`): of each that some transaction has, the first such transaction. The owner's entries of these days are
 * looked through once, in the index, and only what $4 has is looked up. There is no join, which PostgreSQL would nest
 * where it expects few rows; the lists are hashed.
 */
export const ALIKE: Statement = {
  text: `SELECT e.key, min(e.id) AS id
           FROM (SELECT n.id, concat_ws(' ', n.entry, (SELECT r.payment_reference FROM transactions r
                                                        WHERE r.owner_id = $1 AND r.id = n.id)) AS key
                   FROM (SELECT t.id, concat_ws(' ', ${PROPERTY_OF_ENTRY}, trim_scale(t.amount),
                                                to_char(t.date AT TIME ZONE 'UTC', 'YYYY-MM-DD')) AS entry
                           FROM transactions t
                          WHERE t.owner_id = $1 AND t.date >= $2::timestamptz
                            AND t.date < $3::timestamptz + interval '1 day') n
                  WHERE n.entry = ANY ($4::text[])) e
          WHERE e.key = ANY ($5::text[])
          GROUP BY e.key`,
};
