import { MAX_ROW_BY_ROW } from '../src/transactions/search.js';
import { createProperty, createTransaction } from './support/factories.js';
import { type Account, type Service, startService } from './support/service.js';
import { until } from './support/until.js';

const LONGEST_TERM = 255;
const LONGEST_NOTES = 10_000;
/** Each is looked through in a millisecond and more. */
const ROWS = 2000;
/** In ms. */
const STATEMENT_TIMEOUT = 500;
const MARGIN = 5000;

let service: Service;
let owner: Account;
beforeAll(async () => {
  service = await startService({ DB_STATEMENT_TIMEOUT: `${STATEMENT_TIMEOUT}ms` });
  owner = await service.account();
});

const search = (body: object) => owner.post('/api/transactions/search', body);

describe('a search whose term is nearly in every text, at every place', () => {
  beforeAll(async () => {
    const property = await createProperty(owner);
    const { id } = await createTransaction(owner, property.id);
    // With all trigrams of the terms, so that their index rules out none of the rows.
    await service.sql(
      `INSERT INTO transactions (owner_id, property_id, property_name, type, category, description, amount, date,
                                 status, recurring, notes)
       SELECT owner_id, property_id, property_name, type, category, 'baa aab', amount, date, status, recurring,
              repeat('a', $2) FROM transactions, generate_series(1, $3) WHERE id = $1`,
      [id, LONGEST_NOTES, ROWS],
    );
  });

  it.each([
    ['row by row', 0],
    ['by trigrams', MAX_ROW_BY_ROW + 1],
  ])('ends soon after the statement timeout, %s', async (_, rows) => {
    await service.sql('UPDATE owner_totals SET transactions = $2 WHERE owner_id = $1', [owner.id, rows]);
    const almost = 'a'.repeat(LONGEST_TERM - 1);
    const started = performance.now();
    const answers = await Promise.all(
      [`b${almost}`, `${almost}b`].map((searchTerm) => search({ searchTerm })),
    );
    for (const { status } of answers) expect([200, 503]).toContain(status);
    await until(nothingRuns);
    expect(performance.now() - started).toBeLessThan(STATEMENT_TIMEOUT + MARGIN);
  });
});

async function nothingRuns(): Promise<boolean> {
  const running = await service.sql(
    `SELECT FROM pg_stat_activity
      WHERE datname = current_database() AND state = 'active' AND pid <> pg_backend_pid()`,
  );
  return running.length === 0;
}
