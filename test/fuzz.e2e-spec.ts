import { type Facts, type FuzzRequest, RequestMaker } from './fuzz/requests.js';
import { type Parties, ruleFaults } from './fuzz/rules.js';
import { undocumented } from './support/conformance.js';
import { createProperty, createTransaction } from './support/factories.js';
import { headerFaults, problemFaults } from './support/problem-document.js';
import { Build, type ServiceProcess } from './support/process.js';
import { Random } from './support/random.js';
import { type Account, type Service, startService } from './support/service.js';
import { Wire, type WireAnswer } from './support/wire.js';

const REQUESTS = 1200;
const LANES = 8;
const SEED = 20260115;

/** Path → a digest of its row. */
type Rows = ReadonlyMap<string, string>;
interface Batch {
  readonly transactions: readonly { readonly id: number }[];
}

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

/** The rows that a request has made, written or deleted, going by its answer: their paths. */
function effectsOf(
  { method, target }: FuzzRequest,
  { status, headers, text }: WireAnswer,
): (readonly [path: string, change: 1 | 0 | -1])[] {
  const made = headers.get('location');
  if (made !== null) return [[made, 1]];
  if (status === 201 && decodedPath(target).endsWith('/api/transactions/batch'))
    return (JSON.parse(text) as Batch).transactions.map(({ id }) => [`/api/transactions/${id}`, 1]);
  const [path] = /\/api\/(properties|transactions)\/\d+$/.exec(decodedPath(target)) ?? [];
  if (path === undefined || status !== 200) return [];
  if (method === 'PUT') return [[path, 0]];
  return method === 'DELETE' && text === '' ? [[path, -1]] : [];
}

function decodedPath(target: string): string {
  try {
    return decodeURIComponent(target.split('?')[0]!);
  } catch {
    return '';
  }
}

describe('random requests that are hardly ever right', () => {
  let service: Service;
  let build: Build;
  let running: ServiceProcess;
  let user: Account;
  let admin: Account;
  let facts: Facts;
  let parties: Parties;

  const failures: string[] = [];
  const statuses = new Map<number, number>();
  /** Path → how many rows more or less, of everything that an answer has said to be written. */
  const effects = new Map<string, number>();
  let before: Rows;
  let url: string;

  const rows = async (): Promise<Rows> => {
    const tables = ['users', 'properties', 'transactions'].map(
      (table) => `SELECT '/api/${table}/' || t.id AS path, md5(t::text) AS digest FROM ${table} t`,
    );
    const found = await service.sql<{ path: string; digest: string }>(tables.join(' UNION ALL '));
    return new Map(found.map(({ path, digest }) => [path, digest]));
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
    const stranger = await service.account();
    const { id: foreignProperty } = await createProperty(stranger);
    const { id: foreignTransaction } = await createTransaction(stranger, foreignProperty);
    const foreign = { stranger: stranger.id, foreignProperty, foreignTransaction };
    facts = { user: user.token!, admin: admin.token!, properties, transactions, ...foreign };
    parties = {
      user: user.token!,
      admin: admin.token!,
      foreign: [
        `/api/properties/${foreignProperty}`,
        `/api/transactions/${foreignTransaction}`,
        `/api/transactions/property/${foreignProperty}`,
      ],
    };
    before = await rows();
    build = Build.make();
    running = build.start({ DB_URL: service.settings.database.url, LOG_LEVEL: 'info' });
    url = await listening(running);
    await Promise.all(Array.from({ length: LANES }, (_, lane) => run(lane)));
  }, 150_000);

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
    for (const [path, change] of effectsOf(request, answer))
      effects.set(path, (effects.get(path) ?? 0) + change);
    const faults = [
      ...faultsOf(request, answer),
      ...ruleFaults(request, answer, parties),
      ...undocumented({ ...request, ...answer }),
    ];
    if (faults.length > 0) failures.push(`${faults.join('; ').slice(0, 300)} to ${excerpt(request)}`);
  }

  it('are each answered as their operation may, with no 5xx, and refused with a well-formed problem', () => {
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

  it('change nothing when they are refused, and only what they name when they are not', async () => {
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
