import type pg from 'pg';
import type { Accounts, Caller } from './accounts.js';
import { HttpError, readBody, type Request, type Route } from './http.js';
import { envelope, idOf, orderOf, type Page, pageOf } from './lists.js';
import { checkBody, valuesOf, WRITTEN_COLUMNS } from './transaction-body.js';
import {
  COLUMNS,
  SUMMARY_COLUMNS,
  type SummaryRow,
  toSummary,
  toTransaction,
  type TransactionRow,
} from './transaction-rows.js';

const DEFAULT_ORDER = 'date,desc';
const SEARCHED = ['description', 'notes', 'vendor', 'subcategory', 'payment_reference', 'booking_reference'];
/** Filter of a search → its condition, given a placeholder. */
const FILTERS: Readonly<Record<string, (placeholder: string) => string>> = {
  startDate: (p) => `date >= ${p}`,
  endDate: (p) => `date <= ${p}`,
  minAmount: (p) => `amount >= ${p}`,
  maxAmount: (p) => `amount <= ${p}`,
  type: (p) => `type = ${p}`,
  category: (p) => `category = ${p}`,
  propertyId: (p) => `property_id = ${p}`,
  status: (p) => `status = ${p}`,
  paymentMethod: (p) => `payment_method = ${p}`,
  recurring: (p) => `recurring = ${p}`,
  frequency: (p) => `frequency = ${p}`,
  searchTerm: (p) => `(${SEARCHED.map((column) => `${column} ILIKE ${p}`).join(' OR ')})`,
};

/** Types where PostgreSQL cannot infer them. */
const TYPES: Readonly<Record<string, string>> = {
  amount: 'numeric',
  date: 'timestamptz',
  recurring: 'boolean',
  due_date: 'timestamptz',
  paid_at: 'timestamptz',
  booking_id: 'bigint',
  tags: 'text[]',
  metadata: 'jsonb',
};

const RETURNING = `RETURNING ${COLUMNS.map((column) => `t.${column}`).join(', ')}`;
const INSERT = `INSERT INTO transactions AS t (owner_id, property_id, property_name, ${WRITTEN_COLUMNS.join(', ')})
  SELECT p.owner_id, p.id, p.name, ${placeholders(3).join(', ')}
    FROM properties p WHERE p.owner_id = $1 AND p.id = $2 ${RETURNING}`;
const UPDATE = `UPDATE transactions t
    SET property_id = p.id, property_name = p.name, ${assignments(5)}, version = t.version + 1, updated_at = now()
   FROM properties p
  WHERE t.owner_id = $1 AND t.id = $2 AND t.version = $3 AND p.owner_id = $1 AND p.id = $4 ${RETURNING}`;

/** The conditions of a list with their values. A list with a name is prepared under it. */
interface Selection {
  readonly name?: string;
  readonly conditions: readonly string[];
  readonly values: readonly unknown[];
}

export class Transactions {
  readonly routes: readonly Route[] = [
    { method: 'GET', path: /^\/api\/transactions$/, handle: (request) => this.list(request) },
    { method: 'POST', path: /^\/api\/transactions$/, handle: (request) => this.create(request) },
    { method: 'POST', path: /^\/api\/transactions\/search$/, handle: (request) => this.search(request) },
    {
      method: 'GET',
      path: /^\/api\/transactions\/property\/([^/]+)$/,
      handle: (request) => this.listOfProperty(request),
    },
    { method: 'GET', path: /^\/api\/transactions\/([^/]+)$/, handle: (request) => this.get(request) },
    { method: 'PUT', path: /^\/api\/transactions\/([^/]+)$/, handle: (request) => this.update(request) },
  ];

  constructor(
    private readonly pool: pg.Pool,
    private readonly accounts: Accounts,
  ) {}

  private async get(request: Request): Promise<unknown> {
    const caller = await this.accounts.authenticate(request);
    const id = idOf(request.param);
    const select = `SELECT ${COLUMNS.join(', ')} FROM transactions`;
    const { rows } = await this.pool.query<TransactionRow>(
      caller.admin
        ? { name: 'any_transaction', text: `${select} WHERE id = $1`, values: [id] }
        : { name: 'transaction', text: `${select} WHERE owner_id = $1 AND id = $2`, values: [caller.id, id] },
    );
    return toTransaction(found(rows));
  }

  private async list(request: Request): Promise<unknown> {
    const caller = await this.accounts.authenticate(request);
    return this.page({ name: caller.admin ? 'all' : 'owner', ...scopeOf(caller) }, request.query);
  }

  private async listOfProperty(request: Request): Promise<unknown> {
    const caller = await this.accounts.authenticate(request);
    const scope = scopeOf(caller);
    const values = [...scope.values, idOf(request.param)];
    const { rowCount } = await this.pool.query({
      name: caller.admin ? 'any_property_exists' : 'property_exists',
      text: `SELECT FROM properties WHERE ${[...scope.conditions, `id = $${values.length}`].join(' AND ')}`,
      values,
    });
    if (rowCount === 0) throw new HttpError(404, 'There is no such property.');
    const conditions = [...scope.conditions, `property_id = $${values.length}`];
    return this.page({ name: caller.admin ? 'any_property' : 'property', conditions, values }, request.query);
  }

  private async search(request: Request): Promise<unknown> {
    const caller = await this.accounts.authenticate(request);
    const body = await readBody(request.raw);
    const { conditions, values } = scopeOf(caller);
    const terms = [...conditions];
    const parameters = [...values];
    for (const [field, condition] of Object.entries(FILTERS)) {
      const value = body[field];
      if (value === undefined || value === null) continue;
      parameters.push(field === 'searchTerm' ? containing(value) : value);
      terms.push(condition(`$${parameters.length}`));
    }
    const order = orderOf(DEFAULT_ORDER);
    return this.rows({ conditions: terms, values: parameters }, order, pageOf(body['page'], body['size']));
  }

  private async create(request: Request): Promise<unknown> {
    const caller = await this.accounts.authenticate(request);
    const body = await readBody(request.raw);
    checkBody(body);
    const values = [caller.id, body['propertyId'], ...valuesOf(body)];
    const { rows } = await this.pool.query<TransactionRow>({ name: 'create', text: INSERT, values });
    return toTransaction(found(rows));
  }

  private async update(request: Request): Promise<unknown> {
    const caller = await this.accounts.authenticate(request);
    const id = idOf(request.param);
    const body = await readBody(request.raw);
    checkBody(body);
    const current = await this.pool.query<{ version: number }>({
      name: 'version',
      text: 'SELECT version FROM transactions WHERE owner_id = $1 AND id = $2',
      values: [caller.id, id],
    });
    const { version } = found(current.rows);
    const values = [caller.id, id, version, body['propertyId'], ...valuesOf(body)];
    const { rows } = await this.pool.query<TransactionRow>({ name: 'update', text: UPDATE, values });
    if (rows[0] === undefined) throw new HttpError(409, 'The transaction was changed meanwhile.');
    return toTransaction(rows[0]);
  }

  private async page({ name, ...selection }: Selection, query: URLSearchParams): Promise<unknown> {
    const sort = query.get('sort') ?? DEFAULT_ORDER;
    const page = pageOf(query.get('page') ?? undefined, query.get('size') ?? undefined);
    return this.rows({ name: `${name}_by_${sort}`, ...selection }, orderOf(sort), page);
  }

  /** The rows of a page, and how many there are in all, side by side. */
  private async rows({ name, conditions, values }: Selection, order: string, page: Page): Promise<unknown> {
    const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
    const limit = `LIMIT $${values.length + 1} OFFSET $${values.length + 2}`;
    const [counted, selected] = await Promise.all([
      this.pool.query<{ count: string }>({
        name: name && `count_${name}`,
        text: `SELECT count(*) FROM transactions ${where}`,
        values: [...values],
      }),
      this.pool.query<SummaryRow>({
        name,
        text: `SELECT ${SUMMARY_COLUMNS.join(', ')} FROM transactions ${where} ORDER BY ${order} ${limit}`,
        values: [...values, page.size, page.page * page.size],
      }),
    ]);
    return envelope(page, selected.rows.map(toSummary), Number(counted.rows[0]?.count));
  }
}

function scopeOf(caller: Caller): Selection {
  return caller.admin
    ? { conditions: [], values: [] }
    : { conditions: ['owner_id = $1'], values: [caller.id] };
}

function found<Row>([row]: readonly Row[]): Row {
  if (row === undefined) throw new HttpError(404, 'There is no such resource.');
  return row;
}

function containing(text: unknown): string {
  if (typeof text !== 'string') throw new HttpError(400, 'The search term must be a string.');
  return `%${text.replace(/[\\%_]/g, String.raw`\$&`)}%`;
}

/** Of the written columns, from `$first` on. */
function placeholders(first: number): string[] {
  return WRITTEN_COLUMNS.map((column, index) => `$${first + index}::${TYPES[column] ?? 'text'}`);
}

function assignments(first: number): string {
  const values = placeholders(first);
  return WRITTEN_COLUMNS.map((column, index) => `${column} = ${values[index]}`).join(', ');
}
