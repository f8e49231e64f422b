import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The enumerated fields, each with its values by code point, so that their numbers sort as the texts do. */
const ENUMERATED = {
  type: 'EXPENSE INCOME',
  status: 'CANCELLED DISPUTED OVERDUE PAID PENDING REFUNDED',
  category:
    'ADDITIONAL_GUEST_FEE BOOKING_PAYMENT CLEANING CLEANING_FEE FURNISHING HOA_FEES INSURANCE LATE_CHECKOUT_FEE ' +
    'LEGAL_PROFESSIONAL MAINTENANCE MARKETING MORTGAGE OTHER_EXPENSE OTHER_INCOME PERMITS_LICENSES PLATFORM_FEES ' +
    'PROPERTY_MANAGEMENT PROPERTY_TAX REPAIRS SECURITY_DEPOSIT SUPPLIES TAXES UTILITIES',
  payment_method: 'BANK_TRANSFER CASH CHECK CREDIT_CARD DEBIT_CARD OTHER PAYPAL VENMO ZELLE',
  frequency: 'ANNUALLY BI_WEEKLY DAILY MONTHLY ONE_TIME QUARTERLY SEMI_ANNUALLY WEEKLY',
};

/** A value's number, from 1; 0 for none. */
function numberOf(field: keyof typeof ENUMERATED): string {
  return `coalesce(array_position('{${ENUMERATED[field].replaceAll(' ', ',')}}'::text[], ${field}), 0)`;
}

/** From the lowest bit: 2 bits of type, 3 of status, 5 of category, 4 of payment_method, 1 of recurring, 4 of frequency. */
const FACETS = `${numberOf('type')} + ${numberOf('status')} * 4 + ${numberOf('category')} * 32
  + ${numberOf('payment_method')} * 1024 + recurring::integer * 16384 + ${numberOf('frequency')} * 32768`;

const SEARCHED = ['description', 'notes', 'vendor', 'subcategory', 'payment_reference', 'booking_reference'];
const SEARCH_TEXT = `lower(${SEARCHED.map((field) => `coalesce(${field}, '')`).join(` || E'\\x1f' || `)})`;

const DROPPED = [
  ...[
    'date',
    'created_at',
    'updated_at',
    'due_date',
    'paid_at',
    'category',
    'type',
    'status',
    'type_status_date',
  ].map((columns) => `transactions_owner_${columns}_idx`),
  'transactions_property_date_idx',
  'transactions_date_idx',
];

/**
 * Seventeen indexes took more room than twice the rows, and most of them served one order of one list. Now:
 *
 * - `facets` packs the six enumerated fields into one integer. `facets & mask = value` is any combination of them.
 * - One index in the order of the default list carries all that a search filters by, short of texts: whatever a host
 *   combines, its count is one Index Only Scan of the owner's entries in the period (200,000 in 16 ms), and its page is
 *   read in the order of the index. There is nothing left for the planner to choose, so that such searches are
 *   prepared and right on PostgreSQL 15 as on 18. The lists by createdAt, updatedAt, dueDate and paidAt sort what it
 *   gives (45 ms for page 5,000).
 * - The primary key carries the facets: by type, status and category a list is a few groups, each in the order of the id.
 * - The text that is searched is the index's expression and no longer a column: lower() costs a tenth of what finding
 *   the row does. Notes count up to the bound that requests have, which also bounds what one comparison can take.
 * - An index for the foreign key, and ADMIN's list by date, without the id: equal keys then share an entry.
 *
 * The ids of a descending list descend, so that an index serves both directions. By amount, description and vendor
 * there is an index each as before: their values are too many for groups, or too long to come along.
 *
 * This writes the table anew, which gives back the room of `search_text`.
 */
export class OneIndexForFilters1795000000008 implements MigrationInterface {
  name = 'OneIndexForFilters1795000000008';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP INDEX ${DROPPED.join(', ')}`);
    await runner.query('ALTER TABLE transactions DROP CONSTRAINT transactions_pkey, DROP COLUMN search_text');
    await runner.query(
      `ALTER TABLE transactions ADD COLUMN facets integer GENERATED ALWAYS AS (${FACETS}) STORED NOT NULL`,
    );
    await runner.query(
      'ALTER TABLE transactions ADD CONSTRAINT transactions_pkey PRIMARY KEY (owner_id, id) INCLUDE (facets)',
    );
    for (const statement of CREATED) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `DROP INDEX transactions_owner_date_idx, transactions_owner_property_idx, transactions_owner_approval_status_idx,
                  transactions_date_idx, transactions_search_text_idx`,
    );
    await runner.query('ALTER TABLE transactions DROP CONSTRAINT transactions_pkey, DROP COLUMN facets');
    await runner.query(
      `ALTER TABLE transactions ADD COLUMN search_text text GENERATED ALWAYS AS (${SEARCH_TEXT}) STORED NOT NULL`,
    );
    await runner.query(
      'ALTER TABLE transactions ADD CONSTRAINT transactions_pkey PRIMARY KEY (owner_id, id)',
    );
    for (const statement of RESTORED) await runner.query(statement);
  }
}

const CREATED = [
  `CREATE INDEX transactions_owner_date_idx ON transactions (owner_id, date DESC, id DESC)
     INCLUDE (property_id, created_at, updated_at, due_date, paid_at, facets, amount)`,
  'CREATE INDEX transactions_owner_property_idx ON transactions (owner_id, property_id)',
  // Few rows have one, if any.
  `CREATE INDEX transactions_owner_approval_status_idx ON transactions (owner_id, approval_status)
     WHERE approval_status IS NOT NULL`,
  'CREATE INDEX transactions_date_idx ON transactions (date DESC)',
  // The limit of the pending list: see SearchPendingList1795000000006.
  `CREATE INDEX transactions_search_text_idx ON transactions USING gin ((${SEARCH_TEXT}) gin_trgm_ops)
     WITH (gin_pending_list_limit = 256)`,
];

const owned = (name: string, columns: string): string =>
  `CREATE INDEX transactions_owner_${name}_idx ON transactions (owner_id, ${columns})`;

/** As ListsAndSearch1795000000004, SearchIndex1795000000005 and SearchPendingList1795000000006 have made them. */
const RESTORED = [
  owned('date', 'date DESC, id'),
  ...['created_at', 'updated_at', 'due_date', 'paid_at'].map((name) => owned(name, `${name}, id`)),
  ...['category', 'type', 'status'].map((name) => owned(name, `${name} COLLATE "C", id`)),
  `${owned('type_status_date', 'type, status, date DESC, id')} INCLUDE (category)`,
  'CREATE INDEX transactions_property_date_idx ON transactions (owner_id, property_id, date DESC, id)',
  'CREATE INDEX transactions_date_idx ON transactions (date DESC, id) INCLUDE (owner_id)',
  `CREATE INDEX transactions_search_text_idx ON transactions USING gin (search_text gin_trgm_ops)
     WITH (gin_pending_list_limit = 256)`,
];
