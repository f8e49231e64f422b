import { type FuzzRequest, RequestMaker } from './fuzz/requests.js';
import { excerpt, faultsOf, Lane, makeFacts } from './fuzz/scene.js';
import { Build, type ServiceProcess } from './support/process.js';
import { Random } from './support/random.js';
import { type Account, type Service, startService } from './support/service.js';
import type { WireAnswer } from './support/wire.js';

const REQUESTS = 1200;
const LANES = 8;
const SEED = 20260115;

/** Path → a digest of its row. */
type Rows = ReadonlyMap<string, string>;

/** The paths of the rows that a response says to be made (1), written (0) or deleted (-1). */
function effectsOf(
  { method, target }: FuzzRequest,
  { status, headers, text }: WireAnswer,
): (readonly [path: string, change: 1 | 0 | -1])[] {
  const made = headers.get('location');
  if (made !== null) return [[made, 1]];
  const path = decodedPath(target);
  if (status === 201 && path.endsWith('/api/transactions/batch')) {
    const { transactions } = JSON.parse(text) as { transactions: { id: number }[] };
    return transactions.map(({ id }) => [`/api/transactions/${id}`, 1]);
  }
  const [row] = /\/api\/(properties|transactions)\/\d+$/.exec(path) ?? [];
  if (row === undefined || status !== 200) return [];
  if (method === 'PUT') return [[row, 0]];
  return method === 'DELETE' && text === '' ? [[row, -1]] : [];
}

function decodedPath(target: string): string {
  try {
    return decodeURIComponent(target.split('?')[0]!);
  } catch {
    return '';
  }
}

describe('random requests', () => {
  let service: Service;
  let running: ServiceProcess;
  let admin: Account;
  let url: string;
  let before: Rows;
  const failures: string[] = [];
  const statuses = new Map<number, number>();
  /** Path → by how many rows the responses say that it has changed. */
  const effects = new Map<string, number>();

  const rows = async (): Promise<Rows> => {
    const tables = ['users', 'properties', 'transactions'].map(
      (table) => `SELECT '/api/${table}/' || t.id AS path, md5(t::text) AS digest FROM ${table} t`,
    );
    const found = await service.sql<{ path: string; digest: string }>(tables.join(' UNION ALL '));
    return new Map(found.map(({ path, digest }) => [path, digest]));
  };

  beforeAll(async () => {
    service = await startService();
    const [user, stranger] = [await service.account(), await service.account()];
    admin = await service.account('ADMIN');
    const facts = await makeFacts(user, admin, stranger, 60);
    before = await rows();
    running = Build.make().start({ DB_URL: service.settings.database.url, LOG_LEVEL: 'info' });
    ({ url } = await running.client());
    await running.says(/the database is ready/);
    const run = async (lane: number): Promise<void> => {
      const maker = new RequestMaker(new Random(SEED + lane), facts);
      const connection = new Lane(url);
      for (let left = REQUESTS / LANES; left > 0; left--) {
        const request = maker.next();
        try {
          const answer = await connection.send(request);
          statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
          for (const [path, change] of effectsOf(request, answer))
            effects.set(path, (effects.get(path) ?? 0) + change);
          const faults = faultsOf(request, answer, facts);
          if (faults.length > 0) failures.push(`${faults.join('; ').slice(0, 300)} to ${excerpt(request)}`);
        } catch (error) {
          failures.push(`${String(error)} to ${excerpt(request)}`);
        }
      }
      connection.close();
    };
    await Promise.all(Array.from({ length: LANES }, (_, lane) => run(lane)));
  }, 150_000);

  it('are each answered as their operation may, or by a problem document, and never by a 5xx', () => {
    expect(failures.slice(0, 10)).toEqual([]);
    expect([...statuses.values()].reduce((sum, count) => sum + count, 0)).toBe(REQUESTS);
  });

  it('are refused for every reason, and some succeed', () => {
    const expected = [200, 201, 400, 401, 403, 404, 405, 409, 414, 415, 417, 431];
    expect(expected.filter((status) => !statuses.has(status))).toEqual([]);
    expect(statuses.get(200)).toBeGreaterThan(REQUESTS / 20);
  });

  it('change nothing when they are refused, and otherwise only the rows that they name', async () => {
    const after = await rows();
    const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
      (path) => before.get(path) !== after.get(path),
    );
    expect(changed.filter((path) => !effects.has(path))).toEqual([]);
    const balance = [...effects].filter(
      ([path, change]) => change !== Number(after.has(path)) - Number(before.has(path)),
    );
    expect(balance).toEqual([]);
  });

  it('leave the process healthy, and its log silent', async () => {
    expect(running.lines.filter(({ level }) => level !== 'info')).toEqual([]);
    const headers = { authorization: `Bearer ${admin.token!}` };
    const health = await fetch(`${url}/actuator/health`, { headers });
    expect([health.status, await health.json()]).toEqual([200, expect.objectContaining({ status: 'UP' })]);
  });
});
