import { outcomeOf } from '../support/responses.js';
import type { HttpResponse } from '../support/client.js';
import { propertyRequest, transactionRequest } from '../support/factories.js';
import { Random } from '../support/random.js';
import type { Account, Service } from '../support/service.js';
import { WRONG_TOTALS } from '../support/totals.js';
import type { Checked, CheckOptions } from './check.js';
import { type Event, faultsOf, isDone } from './history.js';
import type { Kind } from './world.js';

/** Calls between two looks at the tables. */
const ROUND = 600;
/** So few rows are written that most writes meet others. */
const CHOICE = 3;
const ALLOWED = ['200', '404 not-found', '409 concurrent-modification', '409 resource-in-use'];

/**
 * Random calls of several clients at once. No response can be predicted, but together they must make sense: no
 * acknowledged update is lost, no deleted row is seen again, and rows and totals are those of the responses.
 */
export async function checkConcurrently(
  service: Service,
  { calls, seed, clients }: CheckOptions & { readonly clients: number },
  progress: (calls: number) => void = () => undefined,
): Promise<Checked> {
  const statuses = new Map<number, number>();
  let sent = 0;
  for (; sent < calls; sent += ROUND) {
    const accounts = [await service.account(), await service.account('ADMIN')];
    const round = new Round(accounts, new Random(seed + sent));
    await Promise.all(Array.from({ length: clients }, () => round.run()));
    const faults = [...round.faults, ...round.historyFaults(), ...(await stateFaults(service, round))];
    if (faults.length > 0) throw new Error(faults.slice(0, 20).join('\n'));
    for (const { status } of round.events) statuses.set(status, (statuses.get(status) ?? 0) + 1);
    progress(sent);
  }
  return { calls: sent, statuses };
}

/** Two accounts that see the same rows: an owner and an ADMIN. */
class Round {
  readonly events: Event[] = [];
  readonly faults: string[] = [];
  private readonly rows = { properties: [] as string[], transactions: [] as string[] };
  private readonly versions = new Map<string, number>();
  private clock = 0;
  private left = ROUND;

  constructor(
    private readonly accounts: readonly Account[],
    private readonly random: Random,
  ) {}

  async run(): Promise<void> {
    while (this.left-- > 0) await this.call();
  }

  historyFaults(): string[] {
    const resources = new Set(this.events.map(({ resource }) => resource));
    return [...resources].flatMap((resource) =>
      faultsOf(this.events.filter((event) => event.resource === resource)),
    );
  }

  private async call(): Promise<void> {
    const { random } = this;
    const [owner] = this.accounts;
    const kind = random.pick(['properties', 'transactions'] as const);
    const latest = this.rows[kind].slice(-CHOICE);
    const place = this.rows.properties.slice(-CHOICE);
    const choice = random.below(13);
    if (latest.length < CHOICE || choice < 2) return this.create(owner!, kind, random.pick(place));
    if (choice === 2) return this.list(random.pick(this.accounts), kind);
    const resource = random.pick(latest);
    const method = choice === 3 ? 'DELETE' : choice < 8 ? 'GET' : 'PUT';
    const expected = method !== 'GET' && random.chance(0.5) ? this.versions.get(resource) : undefined;
    const headers: Record<string, string> = expected === undefined ? {} : { 'If-Match': `"${expected}"` };
    const body = method === 'PUT' ? this.body(kind, random.pick(place)) : undefined;
    const start = ++this.clock;
    const response = await random.pick(this.accounts).send(method, resource, { headers, body });
    this.note({ resource, method, start, expected }, response);
  }

  private body(kind: Kind, property = '/0'): object {
    const description = `${++this.clock}`;
    const propertyId = Number(property.split('/').at(-1));
    return kind === 'properties'
      ? propertyRequest({ description })
      : transactionRequest(propertyId, { description });
  }

  private async create(owner: Account, kind: Kind, property?: string): Promise<void> {
    const start = ++this.clock;
    const response = await owner.post(`/api/${kind}`, this.body(kind, property));
    const resource = response.headers.get('location');
    this.note({ resource: resource ?? `/api/${kind}`, method: 'POST', start }, response);
    if (resource !== null) this.rows[kind].push(resource);
  }

  /** One look at the database: rows and total are of the same moment. */
  private async list(account: Account, kind: Kind): Promise<void> {
    const response = await account.get(`/api/${kind}?size=5`);
    const { content, totalElements } = response.json as { content: { id: number }[]; totalElements: number };
    const ids = new Set(content.map(({ id }) => id));
    if (ids.size !== Math.min(5, totalElements))
      this.faults.push(`a page of ${[...ids].join()} of ${totalElements}`);
  }

  private note(
    call: Pick<Event, 'resource' | 'method' | 'start' | 'expected'>,
    response: HttpResponse,
  ): void {
    const { status, text, headers } = response;
    if (!ALLOWED.includes(outcomeOf(response)))
      this.faults.push(`${call.method}: ${outcomeOf(response)} ${text}`);
    const tag = headers.get('etag');
    const version = tag === null ? undefined : Number(tag.slice(1, -1));
    this.events.push({ ...call, end: ++this.clock, status, version, body: text });
    if (version !== undefined)
      this.versions.set(call.resource, Math.max(version, this.versions.get(call.resource) ?? 0));
  }
}

/** The rows are those of the last acknowledged writes. */
async function stateFaults(service: Service, { events }: Round): Promise<string[]> {
  const faults = (await service.sql(WRONG_TOTALS)).map((row) => JSON.stringify(row));
  const stored = await service.sql<{ resource: string; version: number }>(
    `SELECT '/api/properties/' || id AS resource, version FROM properties
     UNION ALL SELECT '/api/transactions/' || id, version FROM transactions`,
  );
  const versions = new Map(stored.map(({ resource, version }) => [resource, version]));
  for (const { resource } of events.filter((event) => isDone(event, 'POST'))) {
    const own = events.filter((event) => event.resource === resource && event.status === 200);
    const isGone = own.some((event) => isDone(event, 'DELETE'));
    const last = isGone ? undefined : Math.max(...own.map(({ version = 0 }) => version));
    if (versions.get(resource) !== last)
      faults.push(`${resource} is stored with version ${versions.get(resource)}, acknowledged was ${last}`);
  }
  return faults;
}
