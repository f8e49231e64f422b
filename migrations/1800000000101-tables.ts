import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The tables. Every key of owners' rows holds the owner, and so do the foreign keys: the database itself refuses a
 * transaction whose owner is not its property's, and every table of owners' rows can be distributed by owner_id.
 *
 * Texts have domains: varchar(n) would silently cut trailing blanks past n, and PostgreSQL parses a table's own checks for each
 * INSERT. Ids are sequence defaults, not identity columns, so that tables can be distributed again later.
 */
export class Tables1800000000101 implements MigrationInterface {
  name = 'Tables1800000000101';

  async up(runner: QueryRunner): Promise<void> {
    for (const table of SEQUENCED) await runner.query(`CREATE SEQUENCE ${table}_id_seq AS bigint`);
    const tables = [USERS, PROPERTIES, TRANSACTIONS, ...TOTALS, IDEMPOTENCY_KEYS];
    for (const statement of [...DOMAINS, FACETS_OF, ...tables, ...COMMENTS]) await runner.query(statement);
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

/** Texts of so many code points, as char_length counts them, and instants in the years that four digits can say. */
const DOMAINS = [
  'CREATE DOMAIN short_text AS text CHECK (char_length(VALUE) <= 255)',
  'CREATE DOMAIN long_text AS text CHECK (char_length(VALUE) <= 10000)',
  `CREATE DOMAIN instant AS timestamptz(3) CHECK (
     VALUE >= '0001-01-01T00:00:00Z' AND VALUE < '9999-12-31T23:59:59.999Z'::timestamptz + interval '1 ms')`,
];

const USERS = `
  CREATE TABLE users (
    id            bigint         NOT NULL DEFAULT nextval('users_id_seq'),
    email         short_text     NOT NULL,
    username      text           NOT NULL,
    password_hash text           NOT NULL,
    first_name    short_text,
    last_name     short_text,
    role          text           NOT NULL DEFAULT 'USER',
    created_at    timestamptz(3) NOT NULL DEFAULT now(),
    updated_at    timestamptz(3) NOT NULL DEFAULT now(),
    version       integer        NOT NULL DEFAULT 1,
    CONSTRAINT users_pkey PRIMARY KEY (id),
    CONSTRAINT users_username_length CHECK (char_length(username) BETWEEN 3 AND 50),
    CONSTRAINT users_password_hash_bcrypt CHECK (password_hash ~ '^[$]2[aby][$]10[$].{53}$'),
    CONSTRAINT users_role_known CHECK (role IN ('USER', 'ADMIN'))
  )`;

const PROPERTIES = `
  CREATE TABLE properties (
    owner_id              bigint         NOT NULL,
    id                    bigint         NOT NULL DEFAULT nextval('properties_id_seq'),
    name                  short_text     NOT NULL,
    address               short_text     NOT NULL,
    description           short_text,
    base_price            numeric(19, 2) NOT NULL,
    max_guests            integer        NOT NULL,
    bedrooms              integer        NOT NULL,
    bathrooms             integer        NOT NULL,
    active                boolean        NOT NULL,
    str_permit_number     short_text,
    house_rules           long_text,
    check_in_instructions long_text,
    created_at            timestamptz(3) NOT NULL DEFAULT now(),
    updated_at            timestamptz(3) NOT NULL DEFAULT now(),
    version               integer        NOT NULL DEFAULT 1,
    CONSTRAINT properties_pkey PRIMARY KEY (owner_id, id),
    CONSTRAINT properties_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES users (id) ON DELETE RESTRICT,
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

/** SQL: a value's number, from 1; 0 for NULL, and NULL for a value that is not in the list. */
function numberOf(field: keyof typeof ENUMERATED): string {
  return `(array_position('{NULL,${ENUMERATED[field].replaceAll(' ', ',')}}'::text[], ${field}) - 1)`;
}

/**
 * The six fields in one integer, so that one index carries them all and `facets & mask = value` is any combination. From
 * the lowest bit: 2 bits of type, 3 of status, 5 of category, 4 of payment_method, 1 of recurring, 4 of frequency. NULL, which
 * the column refuses, where a value is not in its list. PostgreSQL parses an expression in the column itself for each INSERT,
 * which took a tenth of its time.
 */
const FACETS_OF = `
  CREATE FUNCTION facets_of(type text, status text, category text, payment_method text, recurring boolean, frequency text)
  RETURNS integer LANGUAGE plpgsql IMMUTABLE AS $$
  BEGIN
    RETURN ${numberOf('type')} + ${numberOf('status')} * 4 + ${numberOf('category')} * 32
      + ${numberOf('payment_method')} * 1024 + recurring::integer * 16384 + ${numberOf('frequency')} * 32768;
  END $$`;
const FACETS = 'facets_of(type, status, category, payment_method, recurring, frequency)';

/**
 * Columns of eight bytes come first: in the order of the contract their alignment would take 10 bytes more of each row. Tags and
 * metadata are NULL while they are empty, which takes 18 bytes less.
 */
const TRANSACTIONS = `
  CREATE TABLE transactions (
    owner_id               bigint         NOT NULL,
    id                     bigint         NOT NULL DEFAULT nextval('transactions_id_seq'),
    property_id            bigint         NOT NULL,
    date                   instant        NOT NULL,
    created_at             timestamptz(3) NOT NULL DEFAULT now(),
    updated_at             timestamptz(3) NOT NULL DEFAULT now(),
    due_date               instant,
    paid_at                instant,
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
    subcategory            short_text,
    description            short_text     NOT NULL,
    amount                 numeric(19, 2) NOT NULL,
    status                 text           NOT NULL,
    payment_method         text,
    payment_reference      short_text,
    frequency              text,
    vendor                 short_text,
    receipt_url            short_text,
    notes                  long_text,
    booking_reference      short_text,
    tags                   text[],
    metadata               jsonb,
    tax_category           text,
    tax_amount             numeric(19, 2),
    tax_deduction_category text,
    refund_amount          numeric(19, 2),
    refund_reason          text,
    refund_reference       text,
    approval_status        text,
    approved_by            text,
    CONSTRAINT transactions_pkey PRIMARY KEY (id, owner_id), -- an ADMIN knows the id alone
    CONSTRAINT transactions_property_fkey FOREIGN KEY (owner_id, property_id)
      REFERENCES properties (owner_id, id) ON DELETE RESTRICT,
    CONSTRAINT transactions_amount_range CHECK (amount BETWEEN 0.01 AND 99999999999999999.99), -- keeps NaN out, too
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
 * so that there is never one without the other, and its primary key decides between two requests at once. Its owner
 * is the caller, also where an ADMIN writes among the rows of others. A request for many rows has no id and no version.
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
