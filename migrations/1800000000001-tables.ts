import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The tables. Rows are keyed by their owner first, and the foreign keys carry the owner too: the database itself refuses
 * a transaction whose owner is not its property's, and every table of owners' rows can be distributed by owner_id.
 *
 * Texts are `text` with a check: varchar(n) would silently cut trailing blanks past n. Ids are sequence defaults, not
 * identity columns, so that tables can be distributed again later.
 */
export class Tables1800000000001 implements MigrationInterface {
  name = 'Tables1800000000001';

  async up(runner: QueryRunner): Promise<void> {
    for (const table of SEQUENCED) await runner.query(`CREATE SEQUENCE ${table}_id_seq AS bigint`);
    for (const statement of [USERS, PROPERTIES, TRANSACTIONS, ...TOTALS, IDEMPOTENCY_KEYS, ...COMMENTS])
      await runner.query(statement);
    for (const table of SEQUENCED) await runner.query(`ALTER SEQUENCE ${table}_id_seq OWNED BY ${table}.id`);
    await runner.query(OWNERS_EXPECTED);
  }

  /** Not part of a rollback, which names a migration that stays. */
  down(): Promise<void> {
    return Promise.reject(new Error('The tables stay: make another database.'));
  }
}

/**
 * A hundred rows an owner, however many an owner has just loaded. Of one row, as statistics of the day before may have it, every
 * index that begins with the owner is as good as the primary key, and a look-up by id may read all of the owner's.
 */
const OWNERS_EXPECTED = 'ALTER TABLE transactions ALTER COLUMN owner_id SET (n_distinct = -0.01)';

const SEQUENCED = ['users', 'properties', 'transactions'];

/** Code points, as char_length counts them. */
function atMost(length: number, table: string, columns: string): string {
  return columns
    .split(' ')
    .map(
      (column) =>
        `CONSTRAINT ${table}_${column}_length CHECK (char_length(${column}) <= ${length.toFixed()})`,
    )
    .join(',\n');
}

/** Finite, and in the years that four digits can say. */
function inFourDigits(column: string): string {
  return `CONSTRAINT transactions_${column}_period CHECK (
    ${column} >= '0001-01-01T00:00:00Z' AND ${column} < '9999-12-31T23:59:59.999Z'::timestamptz + interval '1 ms')`;
}

const USERS = `
  CREATE TABLE users (
    id            bigint         NOT NULL DEFAULT nextval('users_id_seq'),
    email         text           NOT NULL,
    username      text           NOT NULL,
    password_hash text           NOT NULL,
    first_name    text,
    last_name     text,
    role          text           NOT NULL DEFAULT 'USER',
    created_at    timestamptz(3) NOT NULL DEFAULT now(),
    updated_at    timestamptz(3) NOT NULL DEFAULT now(),
    version       integer        NOT NULL DEFAULT 1,
    CONSTRAINT users_pkey PRIMARY KEY (id),
    ${atMost(255, 'users', 'email first_name last_name')},
    CONSTRAINT users_username_length CHECK (char_length(username) BETWEEN 3 AND 50),
    CONSTRAINT users_password_hash_bcrypt CHECK (password_hash ~ '^[$]2[aby][$]10[$].{53}$'),
    CONSTRAINT users_role_known CHECK (role IN ('USER', 'ADMIN'))
  )`;

const PROPERTIES = `
  CREATE TABLE properties (
    owner_id              bigint         NOT NULL,
    id                    bigint         NOT NULL DEFAULT nextval('properties_id_seq'),
    name                  text           NOT NULL,
    address               text           NOT NULL,
    description           text,
    base_price            numeric(19, 2) NOT NULL,
    max_guests            integer        NOT NULL,
    bedrooms              integer        NOT NULL,
    bathrooms             integer        NOT NULL,
    active                boolean        NOT NULL,
    str_permit_number     text,
    house_rules           text,
    check_in_instructions text,
    created_at            timestamptz(3) NOT NULL DEFAULT now(),
    updated_at            timestamptz(3) NOT NULL DEFAULT now(),
    version               integer        NOT NULL DEFAULT 1,
    CONSTRAINT properties_pkey PRIMARY KEY (owner_id, id),
    CONSTRAINT properties_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users (id) ON DELETE RESTRICT,
    ${atMost(255, 'properties', 'name address description str_permit_number')},
    ${atMost(10_000, 'properties', 'house_rules check_in_instructions')},
    CONSTRAINT properties_base_price_range CHECK (base_price BETWEEN 0 AND 99999999.99),
    CONSTRAINT properties_max_guests_range CHECK (max_guests BETWEEN 1 AND 100),
    CONSTRAINT properties_bedrooms_range CHECK (bedrooms BETWEEN 0 AND 50),
    CONSTRAINT properties_bathrooms_range CHECK (bathrooms BETWEEN 0 AND 50)
  )`;

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

/** A value's number, from 1; 0 for none, and for one that is not in the list. */
function numberOf(field: keyof typeof ENUMERATED): string {
  return `coalesce(array_position('{${ENUMERATED[field].replaceAll(' ', ',')}}'::text[], ${field}), 0)`;
}

/**
 * The six fields in one integer, so that one index carries them all and `facets & mask = value` is any combination. From
 * the lowest bit: 2 bits of type, 3 of status, 5 of category, 4 of payment_method, 1 of recurring, 4 of frequency.
 */
const FACETS = `${numberOf('type')} + ${numberOf('status')} * 4 + ${numberOf('category')} * 32
  + ${numberOf('payment_method')} * 1024 + recurring::integer * 16384 + ${numberOf('frequency')} * 32768`;

/** Columns of eight bytes come first: in the order of the contract their alignment would take 10 bytes more of each row. */
const TRANSACTIONS = `
  CREATE TABLE transactions (
    owner_id               bigint         NOT NULL,
    id                     bigint         NOT NULL DEFAULT nextval('transactions_id_seq'),
    property_id            bigint         NOT NULL,
    date                   timestamptz(3) NOT NULL,
    created_at             timestamptz(3) NOT NULL DEFAULT now(),
    updated_at             timestamptz(3) NOT NULL DEFAULT now(),
    due_date               timestamptz(3),
    paid_at                timestamptz(3),
    booking_id             bigint,
    refund_date            timestamptz(3),
    approved_date          timestamptz(3),
    version                integer        NOT NULL DEFAULT 1,
    facets                 integer        NOT NULL GENERATED ALWAYS AS (${FACETS}) STORED,
    recurring              boolean        NOT NULL,
    tax_taxable            boolean,
    tax_deductible         boolean,
    property_name          text           NOT NULL,
    type                   text           NOT NULL,
    category               text           NOT NULL,
    subcategory            text,
    description            text           NOT NULL,
    amount                 numeric(19, 2) NOT NULL,
    status                 text           NOT NULL,
    payment_method         text,
    payment_reference      text,
    frequency              text,
    vendor                 text,
    receipt_url            text,
    notes                  text,
    booking_reference      text,
    tags                   text[]         NOT NULL DEFAULT '{}',
    metadata               jsonb          NOT NULL DEFAULT '{}',
    tax_category           text,
    tax_amount             numeric(19, 2),
    tax_deduction_category text,
    refund_amount          numeric(19, 2),
    refund_reason          text,
    refund_reference       text,
    approval_status        text,
    approved_by            text,
    CONSTRAINT transactions_pkey PRIMARY KEY (owner_id, id),
    CONSTRAINT transactions_property_fkey FOREIGN KEY (owner_id, property_id)
      REFERENCES properties (owner_id, id) ON DELETE RESTRICT,
    ${atMost(255, 'transactions', 'subcategory description payment_reference vendor receipt_url booking_reference')},
    ${atMost(10_000, 'transactions', 'notes')},
    CONSTRAINT transactions_type_known CHECK (facets & 3 <> 0),
    CONSTRAINT transactions_status_known CHECK (facets & 28 <> 0),
    CONSTRAINT transactions_category_known CHECK (facets & 992 <> 0),
    CONSTRAINT transactions_payment_method_known CHECK (payment_method IS NULL OR facets & 15360 <> 0),
    CONSTRAINT transactions_frequency_known CHECK (frequency IS NULL OR facets & 491520 <> 0),
    CONSTRAINT transactions_amount_range CHECK (amount BETWEEN 0.01 AND 99999999999999999.99), -- keeps NaN out, too
    ${['date', 'due_date', 'paid_at'].map(inFourDigits).join(',\n')},
    CONSTRAINT transactions_metadata_object CHECK (jsonb_typeof(metadata) = 'object')
  )`;

/** The numbers of rows that the triggers of the next migration keep. Pages have room for the next version of a row. */
const TOTALS = [
  `CREATE TABLE owner_totals (
     owner_id     bigint NOT NULL,
     properties   bigint NOT NULL DEFAULT 0,
     transactions bigint NOT NULL DEFAULT 0,
     CONSTRAINT owner_totals_pkey PRIMARY KEY (owner_id),
     CONSTRAINT owner_totals_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users (id) ON DELETE CASCADE
   ) WITH (fillfactor = 70)`,
  `CREATE TABLE property_totals (
     owner_id     bigint NOT NULL,
     property_id  bigint NOT NULL,
     transactions bigint NOT NULL DEFAULT 0,
     CONSTRAINT property_totals_pkey PRIMARY KEY (owner_id, property_id)
   ) WITH (fillfactor = 70)`,
];

/**
 * The responses to requests with an Idempotency-Key, for a day. The key is written by the transaction that writes the rows,
 * so that there is never one without the other, and its primary key decides between two requests at once. The caller is
 * part of it, because an ADMIN writes among the rows of others. A request for many rows has no id and no version.
 *
 * The response is kept as it was sent: a repetition gets it even when the row has been changed or deleted since.
 */
const IDEMPOTENCY_KEYS = `
  CREATE TABLE idempotency_keys (
    owner_id    bigint         NOT NULL,
    caller_id   bigint         NOT NULL,
    key         text           NOT NULL,
    fingerprint bytea          NOT NULL,
    resource_id bigint,
    version     integer,
    answer      text           NOT NULL,
    created_at  timestamptz(3) NOT NULL DEFAULT now(),
    CONSTRAINT idempotency_keys_pkey PRIMARY KEY (owner_id, caller_id, key),
    CONSTRAINT idempotency_keys_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users (id) ON DELETE CASCADE,
    CONSTRAINT idempotency_keys_key_length CHECK (char_length(key) BETWEEN 1 AND 255)
  )`;

const COMMENTS = [
  `COMMENT ON COLUMN users.password_hash IS 'bcrypt, cost 10; never leaves the service'`,
  `COMMENT ON COLUMN transactions.property_name IS 'as it was when the row was last written; no rename rewrites history'`,
];
