import { createProperty, createTransaction } from './support/factories.js';
import { type Facts, type FuzzRequest, RequestMaker } from './support/fuzz.js';
import { headerFaults, problemFaults } from './support/problem-document.js';
import { Build, type ServiceProcess } from './support/process.js';
import { Random } from './support/random.js';
import { type Account, type Service, startService } from './support/service.js';
import { Wire, type WireAnswer } from './support/wire.js';

const REQUESTS = 10_000;
const LANES = 8;
const SEED = 20260115;

type Table = 'users' | 'properties' | 'transactions';
type Counts = Record<Table, number>;

/** A connection that is kept for as long as the service keeps it. */
class Lane {
  #wire: Wire | undefined;

  constructor(private readonly url: string) {}

  async send({ bytes, method, isLast }: FuzzRequest): Promise<WireAnswer> {
    this.#wire ??= await Wire.open(this.url);
    const wire = this.#wire.send(bytes);
    try {
      let answer: WireAnswer;
      do answer = await wire.answer({ head: method === 'HEAD' });
      while (answer.status < 200);
      if (isLast || answer.headers.get('connection') !== 'keep-alive') this.close();
      return answer;
    } catch (error) {
      this.close();
      throw error;
    }
  }

  close(): void {
    this.#wire?.destroy();
    this.#wire = undefined;
  }
}

/** What is wrong with an answer, whatever was asked. */
function faultsOf({ method }: FuzzRequest, answer: WireAnswer): string[] {
  if (answer.status >= 500) return [`status ${answer.status}`];
  if (answer.status < 400 || method === 'HEAD') return headerFaults(answer);
  return problemFaults(answer);
}

/** The rows that a request has made or deleted, going by its answer. */
function effectOf(
  { method, target }: FuzzRequest,
  { status, headers, text }: WireAnswer,
): [Table, number] | undefined {
  const [, made] = /^\/api\/(users|properties|transactions)\/\d+$/.exec(headers.get('location') ?? '') ?? [];
  if (made !== undefined) return [made as Table, 1];
  if (method !== 'DELETE' || status !== 200 || text !== '') return undefined;
  const [, deleted] =
    /\/api\/(properties|transactions)\//.exec(decodeURIComponent(target.split('?')[0]!)) ?? [];
  return deleted === undefined ? undefined : [deleted as Table, -1];
}

describe('ten thousand requests that are hardly ever right', () => {
  let service: Service;
  let build: Build;
  let running: ServiceProcess;
  let user: Account;
  let admin: Account;
  let facts: Facts;

  const failures: string[] = [];
  const statuses = new Map<number, number>();
  const effects: Counts = { users: 0, properties: 0, transactions: 0 };
  let before: Counts;
  let url: string;

  const counts = async (): Promise<Counts> => {
    const [row] = await service.sql<Counts>(
      `SELECT (SELECT count(*)::int FROM users) AS users, (SELECT count(*)::int FROM properties) AS properties,
              (SELECT count(*)::int FROM transactions) AS transactions`,
    );
    return row!;
  };

  beforeAll(async () => {
    service = await startService();
    [user, admin] = [await service.account(), await service.account('ADMIN')];
    const properties: number[] = [];
    const transactions: number[] = [];
    for (let i = 0; i < 60; i++) {
      const { id } = await createProperty(user);
      properties.push(id);
      for (let j = 0; j < i % 3; j++) transactions.push((await createTransaction(user, id)).id);
    }
    facts = { user: user.token!, admin: admin.token!, properties, transactions };
    before = await counts();
    build = Build.make();
    running = build.start({ DB_URL: service.settings.database.url, LOG_LEVEL: 'info' });
    url = await listening(running);
    await Promise.all(Array.from({ length: LANES }, (_, lane) => run(lane)));
  }, 150_000);
  afterAll(async () => {
    await running.kill();
    build.remove();
    await service.stop();
  });

  async function run(lane: number): Promise<void> {
    const maker = new RequestMaker(new Random(SEED + lane), facts);
    const connection = new Lane(url);
    for (let index = 0; index < REQUESTS / LANES; index++) {
      const request = maker.next();
      try {
        judge(request, await connection.send(request));
      } catch (error) {
        failures.push(`${String(error)} to ${excerpt(request)}`);
      }
    }
    connection.close();
  }

  function judge(request: FuzzRequest, answer: WireAnswer): void {
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    const [table, change] = effectOf(request, answer) ?? [];
    if (table !== undefined) effects[table] += change!;
    const faults = faultsOf(request, answer);
    if (faults.length > 0) failures.push(`${faults.join('; ').slice(0, 300)} to ${excerpt(request)}`);
  }

  it('are each answered, with no 5xx, and refused with a well-formed problem', () => {
    expect(failures.slice(0, 10)).toEqual([]);
    expect([...statuses.values()].reduce((sum, count) => sum + count, 0)).toBe(REQUESTS);
  });

  it('are refused for every reason there is, and are sometimes right', () => {
    const expected = [200, 201, 400, 401, 403, 404, 405, 409, 414, 415, 417, 431];
    expect(expected.filter((status) => !statuses.has(status))).toEqual([]);
    const refused = [...statuses]
      .filter(([status]) => status >= 400)
      .reduce((sum, [, count]) => sum + count, 0);
    expect(refused).toBeGreaterThan(REQUESTS / 2);
    expect(statuses.get(200)).toBeGreaterThan(REQUESTS / 20);
  });

  it('leave nothing behind when they are refused', async () => {
    const expected = Object.fromEntries(
      Object.entries(before).map(([table, count]) => [table, count + effects[table as Table]]),
    );
    expect(await counts()).toEqual(expected);
  });

  it('leave the process as it was, and silent', async () => {
    expect(running.isRunning).toBe(true);
    expect(running.lines.filter(({ level }) => level !== 'info')).toEqual([]);
    const health = await fetch(`${url}/actuator/health`, {
      headers: { authorization: `Bearer ${admin.token!}` },
    });
    expect([health.status, ((await health.json()) as { status: string }).status]).toEqual([200, 'UP']);
  });
});

const excerpt = ({ bytes }: FuzzRequest): string => JSON.stringify(bytes.toString('latin1').slice(0, 600));

/** Where it listens, and that its database is there. */
async function listening(running: ServiceProcess): Promise<string> {
  const { url } = await running.client();
  await running.says(/the database is ready/);
  return url;
}
