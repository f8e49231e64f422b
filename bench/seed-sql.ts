import { FIRST_OWNER, RARE_ROWS, TERMS } from './dataset.js';
import {
  CATEGORIES,
  FREQUENCIES,
  PAYMENT_METHODS,
  TRANSACTION_TYPES,
} from '../src/transactions/transaction.enums.js';

const ORDINARY_PROPERTIES = 4;
const LARGE_PROPERTIES = 25;
const PROPERTY_NAMES = words('Seaside Cottage, Harbour Loft, Old Mill, Garden Flat, Lake House, Hill Barn');
const WORK = words('Fresh linen, Boiler service, Wifi router, Garden care, Window repair, Key handover');
const PLACE = words('for the kitchen, for the bedroom, on the terrace, before arrival, after departure');
const VENDORS = words('Brightwater, Northgate, Holloway, Sterling, Ashdown, Merrick, Fairfax, Lindqvist');
const TRADES = words('Services, Supplies, and Sons, Partners, Limited');
const NOTES = words('Invoice by e-mail, Agreed on the phone, To be checked in spring, Paid in two parts');
const SUBCATEGORIES = words('Regular, Urgent, Seasonal');

function words(text: string): string[] {
  return text.split(', ');
}

function array(words: readonly string[]): string {
  return `ARRAY[${words.map((word) => `'${word}'`).join(', ')}]`;
}

/** One of the words, by the row's number; `salt` keeps the columns independent of one another. */
function oneOf(words: readonly string[], salt: number): string {
  return `(${array(words)})[1 + bench.pick(n, ${salt}, ${words.length})]`;
}

/** True for so many in a hundred rows. */
function chance(percent: number, salt: number): string {
  return `bench.pick(n, ${salt}, 100) < ${percent}`;
}

/** The value for so many in a hundred rows, else null. */
function sometimes(percent: number, salt: number, value: string): string {
  return `CASE WHEN ${chance(percent, salt)} THEN ${value} END`;
}

export const HELPERS = [
  'DROP SCHEMA IF EXISTS bench CASCADE',
  'CREATE SCHEMA bench',
  // From 0 to size - 1, evenly, and always the same for the same row.
  `CREATE FUNCTION bench.pick(n bigint, salt bigint, size integer) RETURNS integer IMMUTABLE PARALLEL SAFE
     LANGUAGE sql AS 'SELECT (hashint8extended(n, salt) & 2147483647)::integer % size'`,
  `CREATE FUNCTION bench.property_name(n bigint) RETURNS text IMMUTABLE PARALLEL SAFE
     LANGUAGE sql AS $$ SELECT (${array(PROPERTY_NAMES)})[1 + n % ${PROPERTY_NAMES.length}] || ' ' || n $$`,
  `CREATE UNLOGGED TABLE bench.shares
     (owner_id bigint, transactions integer, properties integer, first_property bigint)`,
];

export const FILL = {
  // Property ids are consecutive.
  shares: `INSERT INTO bench.shares
    SELECT ${FIRST_OWNER} + n, coalesce(large[n + 1], (n + 1 - big) * rest / others - (n - big) * rest / others),
           properties, 1 + sum(properties) OVER (ORDER BY n) - properties
      FROM (SELECT $3::integer[] AS large, cardinality($3::integer[]) AS big,
                   $1::integer - cardinality($3::integer[]) AS others,
                   $2::bigint - (SELECT coalesce(sum(rows), 0) FROM unnest($3::integer[]) rows) AS rest) sizes,
           generate_series(0, $1::integer - 1) n,
           LATERAL (SELECT CASE WHEN n < big THEN ${LARGE_PROPERTIES} ELSE ${ORDINARY_PROPERTIES} END AS properties) p`,
  slots: `CREATE UNLOGGED TABLE bench.slots AS
    SELECT s.owner_id, s.properties, s.first_property, k,
           row_number() OVER (ORDER BY hashint8extended(s.owner_id, k), s.owner_id, k) AS n
      FROM bench.shares s, generate_series(1, s.transactions) k`,
  users: `INSERT INTO users (id, email, username, password_hash, first_name, last_name, role)
    SELECT n, 'owner-' || n || '@example.com', 'owner-' || n, $2, 'Owner', 'No. ' || n,
           CASE n WHEN $3 THEN 'ADMIN' ELSE 'USER' END
      FROM generate_series(1, $1::bigint) n`,
  properties: `INSERT INTO properties (owner_id, id, name, address, description, base_price, max_guests, bedrooms,
                                       bathrooms, active, house_rules)
    SELECT owner_id, n, bench.property_name(n), n || ' Harbour Road', 'Close to the sea',
           (5000 + bench.pick(n, 1, 30000)) / 100.0, 1 + bench.pick(n, 2, 8), 1 + bench.pick(n, 3, 4),
           1 + bench.pick(n, 4, 2), ${chance(90, 5)}, 'No smoking'
      FROM bench.shares s, generate_series(s.first_property, s.first_property + s.properties - 1) n`,
  ownerTotals: `INSERT INTO owner_totals (owner_id, properties, transactions)
    SELECT s.owner_id, s.properties, coalesce(c.rows, 0) FROM bench.shares s
      LEFT JOIN (SELECT owner_id, count(*) AS rows FROM transactions GROUP BY owner_id) c USING (owner_id)`,
  propertyTotals: `INSERT INTO property_totals (owner_id, property_id, transactions)
    SELECT p.owner_id, p.id, coalesce(c.rows, 0) FROM properties p
      LEFT JOIN (SELECT owner_id, property_id, count(*) AS rows FROM transactions GROUP BY owner_id, property_id) c
        ON c.owner_id = p.owner_id AND c.property_id = p.id`,
  sequences: ['users', 'properties', 'transactions'].map(
    (table) => `SELECT setval('${table}_id_seq', (SELECT max(id) FROM ${table}))`,
  ),
} as const;

/** Column → its value for the row number `n` of a slot, with `property_id`, `date`, `status` and `recurring` at hand. */
const VALUES: Record<string, string> = {
  owner_id: 'owner_id',
  id: 'n',
  property_id: 'property_id',
  property_name: 'bench.property_name(property_id)',
  type: `CASE WHEN ${chance(60, 10)} THEN '${TRANSACTION_TYPES[0]}' ELSE '${TRANSACTION_TYPES[1]}' END`,
  category: oneOf(CATEGORIES, 11),
  subcategory: sometimes(30, 12, oneOf(SUBCATEGORIES, 13)),
  description: `CASE WHEN ${chance(10, 14)} THEN 'Turnover ${TERMS.common}' ELSE ${oneOf(WORK, 15)} END
    || ' ' || ${oneOf(PLACE, 16)} || ', stay ' || bench.pick(n, 17, 100000)`,
  amount: '(1 + bench.pick(n, 18, 20000000)) / 100.0',
  date: 'date',
  status: 'status',
  payment_method: sometimes(90, 19, oneOf(PAYMENT_METHODS, 20)),
  payment_reference: sometimes(30, 21, `'PR-' || n`),
  recurring: 'recurring',
  frequency: `CASE WHEN recurring THEN ${oneOf(FREQUENCIES.slice(1), 22)} ELSE '${FREQUENCIES[0]}' END`,
  vendor: sometimes(80, 23, `${oneOf(VENDORS, 24)} || ' ' || ${oneOf(TRADES, 25)}`),
  notes: `CASE WHEN owner_id = ${FIRST_OWNER} AND k <= ${RARE_ROWS} THEN 'Saw a ${TERMS.rare}'
    WHEN ${chance(10, 26)} THEN ${oneOf(NOTES, 27)} END`,
  due_date: sometimes(50, 28, `date + interval '14 days'`),
  paid_at: `CASE WHEN status IN ('PAID', 'REFUNDED') THEN date + bench.pick(n, 29, 20) * interval '1 day' END`,
  booking_reference: sometimes(40, 30, `'BK-' || n`),
  booking_id: sometimes(40, 30, 'n'),
  tags: `CASE WHEN ${chance(20, 31)} THEN ARRAY['season', 'guest'] END`,
  metadata: `CASE WHEN ${chance(10, 32)} THEN '{"source": "import"}'::jsonb END`,
  created_at: 'date',
  updated_at: 'date',
};

/** Three years, the later the higher the number, with twenty days of disorder. */
const DATE = `timestamptz '2023-01-01Z' + n * (interval '1075 days' / $1::integer)
  + bench.pick(n, 2, ${20 * 86_400_000}) * interval '1 ms'`;

const STATUS = `CASE WHEN ${chance(60, 3)} THEN 'PAID'
  ELSE (${array(['PENDING', 'PENDING', 'OVERDUE', 'OVERDUE', 'CANCELLED', 'DISPUTED', 'REFUNDED'])})[1 + bench.pick(n, 4, 7)] END`;

/** $1 is the number of all transactions. Slots lie in the order of their numbers. */
export const INSERT_TRANSACTIONS = `
  INSERT INTO transactions (${Object.keys(VALUES).join(', ')})
  SELECT ${Object.values(VALUES).join(',\n')}
    FROM (SELECT owner_id, n, k, first_property + bench.pick(n, 1, properties) AS property_id, ${DATE} AS date,
                 ${STATUS} AS status, ${chance(20, 5)} AS recurring
            FROM bench.slots) s`;
