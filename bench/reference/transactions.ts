import type { FastifyInstance } from 'fastify';
import type pg from 'pg';
import type { Authenticate, Caller } from './accounts.js';
import { columnOf, select, toJson } from './columns.js';
import { found, HttpError, idOf } from './errors.js';
import { placeholders, SUMMARY, TRANSACTION, valuesOf, WRITTEN_COLUMNS } from './transaction.js';

const DEFAULT_ORDER = 'date,desc';
const SORT_COLUMNS: Readonly<Record<string, string>> = { id: 'id', date: 'date', amount: 'amount' };
const SEARCHED = ['description', 'notes', 'vendor', 'subcategory', 'payment_reference', 'booking_reference'];
/** Filter of a search → its condition, given a placeholder. */
const FILTERS: Readonly<Record<string, (placeholder: string) => string>> = {
  startDate: (p) => `date >= ${p}`,
  endDate: (p) => `date <= ${p}`,
  minAmount: (p) => `amount >= ${p}`,
  maxAmount: (p) => `amount <= ${p}`,
  type: (p) => `type = ${p}`,
  category: (p) => `category = ${p}`,
  status: (p) => `status = ${p}`,
  paymentMethod: (p) => `payment_method = ${p}`,
  searchTerm: (p) => `(${SEARCHED.map((column) => `${column} ILIKE ${p}`).join(' OR ')})`,
};

const SELECT = select(TRANSACTION, 'transactions');
const RETURNING = `RETURNING ${TRANSACTION.map((field) => `t.${columnOf(field)}`).join(', ')}`;
const INSERT = `INSERT INTO transactions AS t (owner_id, property_id, property_name, ${WRITTEN_COLUMNS.join(', ')})
  SELECT p.owner_id, p.id, p.name, ${placeholders(3).join(', ')}
    FROM properties p WHERE p.owner_id = $1 AND p.id = $2 ${RETURNING}`;
const ASSIGNMENTS = placeholders(5).map((value, index) => `${WRITTEN_COLUMNS[index] ?? ''} = ${value}`);
const UPDATE = `UPDATE transactions t
    SET property_id = p.id, property_name = p.name, ${ASSIGNMENTS.join(', ')}, version = t.version + 1, updated_at = now()
   FROM properties p
  WHERE t.owner_id = $1 AND t.id = $2 AND t.version = $3 AND p.owner_id = $1 AND p.id = $4 ${RETURNING}`;

const toSummary = toJson(SUMMARY);
const toTransaction = toJson(TRANSACTION);

type Body = Readonly<Record<string, unknown>>;
type Row = Record<string, unknown>;

/** The conditions of a list with their values. A list with a name is prepared under it. */
interface Selection {
  readonly name?: string;
  readonly conditions: readonly string[];
  readonly values: readonly unknown[];
}

export function addTransactions(app: FastifyInstance, pool: pg.Pool, authenticate: Authenticate): void {
  app.get('/api/transactions', async (request) => {
    const caller = await authenticate(request);
    const { sort = DEFAULT_ORDER, ...place } = request.query as Record<string, string>;
    const name = `${caller.admin ? 'all' : 'owner'}_by_${sort}`;
    return pageOf(pool, { name, ...scopeOf(caller) }, sort, place);
  });
  app.post('/api/transactions/search', async (request) => {
    const { conditions, values } = scopeOf(await authenticate(request));
    const body = request.body as Body;
    const given = Object.keys(FILTERS).filter((field) => body[field] != null);
    const where = given.map((field, index) => FILTERS[field]?.(`$${values.length + index + 1}`) ?? 'true');
    const terms = given.map((field) => (field === 'searchTerm' ? containing(body[field]) : body[field]));
    const selection = { conditions: [...conditions, ...where], values: [...values, ...terms] };
    return pageOf(pool, selection, DEFAULT_ORDER, body);
  });
  app.get('/api/transactions/:id', async (request) => {
    const { id: owner } = await authenticate(request);
    const text = `${SELECT} WHERE owner_id = $1 AND id = $2`;
    const { rows } = await pool.query<Row>({ name: 'transaction', text, values: [owner, idOf(request)] });
    return toTransaction(found(rows));
  });
  addWrites(app, pool, authenticate);
}

function addWrites(app: FastifyInstance, pool: pg.Pool, authenticate: Authenticate): void {
  app.post('/api/transactions', async (request) => {
    const { id: owner } = await authenticate(request);
    const body = request.body as Body;
    const values = [owner, body['propertyId'], ...valuesOf(body)];
    return toTransaction(found((await pool.query<Row>({ name: 'create', text: INSERT, values })).rows));
  });
  app.put('/api/transactions/:id', async (request) => {
    const { id: owner } = await authenticate(request);
    const id = idOf(request);
    const body = request.body as Body;
    const written = valuesOf(body);
    const current = await pool.query<{ version: number }>({
      name: 'version',
      text: 'SELECT version FROM transactions WHERE owner_id = $1 AND id = $2',
      values: [owner, id],
    });
    const values = [owner, id, found(current.rows).version, body['propertyId'], ...written];
    const { rows } = await pool.query<Row>({ name: 'update', text: UPDATE, values });
    if (rows[0] === undefined) throw new HttpError(409, 'The transaction was changed meanwhile.');
    return toTransaction(rows[0]);
  });
}

/** The rows of a page, and how many there are in all, side by side. */
async function pageOf(
  pool: pg.Pool,
  { name, conditions, values }: Selection,
  sort: string,
  place: Body,
): Promise<unknown> {
  const [page, size] = [Number(place['page'] ?? 0), Number(place['size'] ?? 20)];
  if (!(Number.isInteger(page) && page >= 0 && Number.isInteger(size) && size >= 1 && size <= 100))
    throw new HttpError(400, 'There is no such page.');
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
  const limit = `LIMIT $${values.length + 1} OFFSET $${values.length + 2}`;
  const [counted, selected] = await Promise.all([
    pool.query<{ count: string }>({
      name: name && `count_${name}`,
      text: `SELECT count(*) FROM transactions ${where}`,
      values: [...values],
    }),
    pool.query<Row>({
      name,
      text: `${select(SUMMARY, 'transactions')} ${where} ORDER BY ${orderOf(sort)} ${limit}`,
      values: [...values, size, page * size],
    }),
  ]);
  const totalElements = Number(counted.rows[0]?.count);
  const totalPages = Math.ceil(totalElements / size);
  const content = selected.rows.map(toSummary);
  return { content, page, size, totalElements, totalPages, last: page >= totalPages - 1 };
}

/** With the id as the last key, in the same direction. */
function orderOf(sort: string): string {
  const [field = '', direction = 'asc'] = sort.split(',');
  const column = SORT_COLUMNS[field];
  if (column === undefined || !/^(asc|desc)$/i.test(direction))
    throw new HttpError(400, 'There is no such order.');
  return `${column} ${direction}, id ${direction}`;
}

function scopeOf({ id, admin }: Caller): Selection {
  return admin ? { conditions: ['id <> 0'], values: [] } : { conditions: ['owner_id = $1'], values: [id] };
}

function containing(text: unknown): string {
  return `%${String(text).replace(/[\\%_]/g, String.raw`\$&`)}%`;
}
