import { pathOf } from '../src/common/problems/problem.js';
import { type Facts, type FuzzRequest, RequestMaker } from './fuzz/requests.js';
import { Lane, makeFacts, Tally } from './fuzz/scene.js';
import { type HttpResponse, Client } from './support/client.js';
import { type ServiceProcess, startProcess } from './support/process.js';
import { Random } from './support/random.js';
import { type Account, type Service, startService } from './support/service.js';

const REQUESTS = 1200;
const LANES = 8;
const SEED = 20260115;

/** Path → a digest of its row. */
type Rows = ReadonlyMap<string, string>;

/** The paths of the rows that a response says to be made, written or deleted. */
function changedBy({ method, target }: FuzzRequest, { status, headers, text }: HttpResponse): string[] {
  const path = decodeURIComponent(status < 300 ? pathOf(target) : '');
  if (status === 201 && path.endsWith('/api/transactions/batch')) {
    const { transactions } = JSON.parse(text) as { transactions: { id: number }[] };
    return transactions.map(({ id }) => `/api/transactions/${id}`);
  }
  const isWrite = status === 200 && ['PUT', 'DELETE'].includes(method);
  return [headers.get('location') ?? '', isWrite ? path : ''];
}

describe('random requests', () => {
  let service: Service;
  let running: ServiceProcess;
  let admin: Account;
  let facts: Facts;
  let before: Rows;
  const tally = new Tally();
  const changed = new Set<string>();

  const rows = async (): Promise<Rows> => {
    const tables = ['users', 'properties', 'transactions'].map(
      (table) => `SELECT '/api/${table}/' || t.id AS path, md5(t::text) AS digest FROM ${table} t`,
    );
    const found = await service.sql<{ path: string; digest: string }>(tables.join(' UNION ALL '));
    return new Map(found.map(({ path, digest }) => [path, digest]));
  };

  beforeAll(async () => {
    service = await startService();
    admin = await service.account('ADMIN');
    facts = await makeFacts(await service.account(), admin, await service.account(), 60);
    before = await rows();
    running = startProcess({ DB_URL: service.settings.database.url, LOG_LEVEL: 'info' });
    const { url } = await running.client();
    await running.says(/the database is ready/);
    const run = async (lane: number): Promise<void> => {
      const maker = new RequestMaker(new Random(SEED + lane), facts);
      const connection = new Lane(url);
      for (let left = REQUESTS / LANES; left > 0; left--) {
        const request = maker.next();
        const response = await connection.send(request);
        tally.add(request, response, facts);
        for (const path of changedBy(request, response)) changed.add(path);
      }
      connection.close();
    };
    await Promise.all(Array.from({ length: LANES }, (_, lane) => run(lane)));
  }, 150_000);

  it('are each answered as their operation may, or by a problem document, and never by a 5xx', () => {
    expect(tally.faults.slice(0, 10)).toEqual([]);
    expect(tally.responses).toBe(REQUESTS);
  });

  it('are refused for every reason, and some succeed', () => {
    const expected = [200, 201, 400, 401, 403, 404, 405, 409, 414, 415, 431];
    expect(expected.filter((status) => !tally.statuses.has(status))).toEqual([]);
    expect(tally.statuses.get(200)).toBeGreaterThan(REQUESTS / 20);
  });

  it('change nothing when they are refused, and otherwise only the rows of their owner that they name', async () => {
    const after = await rows();
    const paths = [...new Set([...before.keys(), ...after.keys()])];
    const different = paths.filter((path) => before.get(path) !== after.get(path));
    expect(different).not.toEqual([]);
    expect(different.filter((path) => !changed.has(path))).toEqual([]);
    expect(different).not.toContain(`/api/properties/${facts.foreignProperty}`);
    expect(different).not.toContain(`/api/transactions/${facts.foreignTransaction}`);
  });

  it('leave the process healthy, and its log silent', async () => {
    expect(running.lines.filter(({ level }) => level !== 'info')).toEqual([]);
    const { url } = await running.client();
    const health = await new Client(url, admin.token).get('/actuator/health');
    expect([health.status, health.json]).toEqual([200, expect.objectContaining({ status: 'UP' })]);
  });
});
