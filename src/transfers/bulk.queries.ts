import type { Statement } from '../database/database.js';

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
 * $1 owner, $2 and $3 the first and the last day, $4 amounts and $5 keys of rows (`comparable`), $6 the most ids of each: of
 * each key that transactions of these days have, their ids. Type, description and vendor stand in for a reference. There
 * is no join, which PostgreSQL would nest where it expects few rows: the lists are hashed. With `+ 0` the index by
 * amount is out of the question.
 */
export const ALIKE: Statement = {
  text: `SELECT k.key, (array_agg(k.id ORDER BY k.id))[1:$6::integer]::text[] AS ids
           FROM (SELECT t.id, encode(sha256(convert_to(concat_ws(' ', t.property_id, trim_scale(t.amount),
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
