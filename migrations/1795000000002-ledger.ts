import type { MigrationInterface, QueryRunner } from 'typeorm';

const length = (table: string, column: string, most = 255): string =>
  `CONSTRAINT ${table}_${column}_length CHECK (char_length(${column}) <= ${most})`;
const known = (column: string, values: string): string =>
  `CONSTRAINT transactions_${column}_known CHECK (${column} IN (${values
    .split(' ')
    .map((value) => `'${value}'`)
    .join(', ')}))`;
/** Finite, and in the years that four digits can say. */
const period = (column: string): string =>
  `CONSTRAINT transactions_${column}_period CHECK (${column} >= '0001-01-01T00:00:00Z' AND ${column} < '9999-12-31T23:59:59.999Z'::timestamptz + interval '1 ms')`;

/**
 * The ledger. Rows are keyed by their owner first, and the foreign keys carry the owner too: the database itself
 * refuses a transaction whose owner is not its property's, and both tables can be distributed by owner_id.
 */
export class Ledger1795000000002 implements MigrationInterface {
  name = 'Ledger1795000000002';

  async up(runner: QueryRunner): Promise<void> {
    await this.createProperties(runner);
    await this.createTransactions(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE transactions');
    await runner.query('DROP TABLE properties');
  }

  private async createProperties(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE SEQUENCE properties_id_seq AS bigint');
    await runner.query(`
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
        ${['name', 'address', 'description', 'str_permit_number'].map((column) => length('properties', column)).join(',\n')},
        ${['house_rules', 'check_in_instructions'].map((column) => length('properties', column, 10_000)).join(',\n')},
        CONSTRAINT properties_base_price_range CHECK (base_price BETWEEN 0 AND 99999999.99),
        CONSTRAINT properties_max_guests_range CHECK (max_guests BETWEEN 1 AND 100),
        CONSTRAINT properties_bedrooms_range CHECK (bedrooms BETWEEN 0 AND 50),
        CONSTRAINT properties_bathrooms_range CHECK (bathrooms BETWEEN 0 AND 50)
      )`);
    await runner.query('ALTER SEQUENCE properties_id_seq OWNED BY properties.id');
    // Not unique, because a distributed table could not hold it unique; the sequence does. ADMIN finds rows by it.
    await runner.query('CREATE INDEX properties_id_idx ON properties (id)');
  }

  private async createTransactions(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE SEQUENCE transactions_id_seq AS bigint');
    await runner.query(`CREATE TABLE transactions (${TRANSACTION_COLUMNS}, ${TRANSACTION_CONSTRAINTS})`);
    await runner.query('ALTER SEQUENCE transactions_id_seq OWNED BY transactions.id');
    await runner.query('CREATE INDEX transactions_id_idx ON transactions (id)'); // for ADMIN, as above
    await runner.query(
      `COMMENT ON COLUMN transactions.property_name IS 'as it was when the row was last written; no rename rewrites history'`,
    );
  }
}

const TRANSACTION_COLUMNS = `
  owner_id               bigint         NOT NULL,
  id                     bigint         NOT NULL DEFAULT nextval('transactions_id_seq'),
  property_id            bigint         NOT NULL,
  property_name          text           NOT NULL,
  type                   text           NOT NULL,
  category               text           NOT NULL,
  subcategory            text,
  description            text           NOT NULL,
  amount                 numeric(19, 2) NOT NULL,
  date                   timestamptz(3) NOT NULL,
  status                 text           NOT NULL,
  payment_method         text,
  payment_reference      text,
  recurring              boolean        NOT NULL,
  frequency              text,
  vendor                 text,
  receipt_url            text,
  notes                  text,
  due_date               timestamptz(3),
  paid_at                timestamptz(3),
  booking_reference      text,
  booking_id             bigint,
  tags                   text[]         NOT NULL DEFAULT '{}',
  metadata               jsonb          NOT NULL DEFAULT '{}',
  tax_taxable            boolean,
  tax_category           text,
  tax_amount             numeric(19, 2),
  tax_deductible         boolean,
  tax_deduction_category text,
  refund_amount          numeric(19, 2),
  refund_date            timestamptz(3),
  refund_reason          text,
  refund_reference       text,
  approval_status        text,
  approved_by            text,
  approved_date          timestamptz(3),
  created_at             timestamptz(3) NOT NULL DEFAULT now(),
  updated_at             timestamptz(3) NOT NULL DEFAULT now(),
  version                integer        NOT NULL DEFAULT 1`;

const TRANSACTION_CONSTRAINTS = [
  'CONSTRAINT transactions_pkey PRIMARY KEY (owner_id, id)',
  `CONSTRAINT transactions_property_fkey FOREIGN KEY (owner_id, property_id)
     REFERENCES properties (owner_id, id) ON DELETE RESTRICT`,
  ...['subcategory', 'description', 'payment_reference', 'vendor', 'receipt_url', 'booking_reference'].map(
    (column) => length('transactions', column),
  ),
  length('transactions', 'notes', 10_000),
  known('type', 'EXPENSE INCOME'),
  known(
    'category',
    'BOOKING_PAYMENT CLEANING_FEE SECURITY_DEPOSIT LATE_CHECKOUT_FEE ADDITIONAL_GUEST_FEE OTHER_INCOME CLEANING MAINTENANCE ' +
      'UTILITIES SUPPLIES INSURANCE MORTGAGE PROPERTY_TAX PLATFORM_FEES MARKETING OTHER_EXPENSE TAXES HOA_FEES REPAIRS ' +
      'FURNISHING PROPERTY_MANAGEMENT PERMITS_LICENSES LEGAL_PROFESSIONAL',
  ),
  known('status', 'PENDING PAID OVERDUE CANCELLED DISPUTED REFUNDED'),
  known('payment_method', 'CASH CREDIT_CARD DEBIT_CARD BANK_TRANSFER CHECK PAYPAL VENMO ZELLE OTHER'),
  known('frequency', 'ONE_TIME DAILY WEEKLY BI_WEEKLY MONTHLY QUARTERLY SEMI_ANNUALLY ANNUALLY'),
  // The upper bound also keeps NaN out, which numeric can hold and which is above every number.
  'CONSTRAINT transactions_amount_range CHECK (amount BETWEEN 0.01 AND 99999999999999999.99)',
  period('date'),
  period('due_date'),
  period('paid_at'),
  `CONSTRAINT transactions_metadata_object CHECK (jsonb_typeof(metadata) = 'object')`,
].join(',\n');
