import { migrate, withDataSource } from '../../src/database/migrate.js';
import { changesPage, follow } from '../support/changes.js';
import type { HttpResponse, Client } from '../support/client.js';
import { openConnection } from '../support/connect.js';
import { propertyRequest, transactionRequest } from '../support/factories.js';
import type { PostgresServer } from '../support/postgres-server.js';
import { Random } from '../support/random.js';
import { outcomeOf } from '../support/responses.js';
import { type Service, startService } from '../support/service.js';
import { testSettings } from '../support/settings.js';
import { until } from '../support/until.js';
import type { Checked, CheckOptions } from './check.js';
import type { Kind } from './world.js';

/** For the server of {@link checkChanges}. */
export const PREPARES = { max_prepared_transactions: '10' };

const OWNERS = 5;
const PLACES = 4;
const WRITERS = 3;
/** Transactions beside the service, each open for up to these milliseconds: longer than the horizon's margin. */
const BESIDE = 3;
const LONGEST = 2500;
const KINDS: readonly Kind[] = ['transactions', 'properties'];
/** While the service or PostgreSQL is restarted, or a lock is held, calls may fail. */
const ALLOWED = /^(2\d\d|404 not-found|409 [a-z-]+|422 import-refused|503 service-unavailable)$/;
const NDJSON = { 'content-type': 'application/x-ndjson' };
/** $1 owner, $2 number: a row that nobody has locked. */
const SOME = `(SELECT id FROM transactions WHERE owner_id = $1 ORDER BY id OFFSET $2 LIMIT 1 FOR UPDATE SKIP LOCKED)`;
const PARTS = 'type, category, description, amount, date, status, recurring';
/** $1 owner, $2 number, $3 another owner's property: what a transaction beside the service does. */
const STATEMENTS = [
  `INSERT INTO transactions (owner_id, property_id, ${PARTS}) SELECT $1, min(id), 'INCOME', 'CLEANING', 'Late', 1, now(), 'PAID', false
     FROM properties WHERE owner_id = $1 AND $2::int + $3::bigint > 0 HAVING count(*) > 0`,
  `UPDATE transactions SET amount = amount + 1, version = version + 1, updated_at = now()
    WHERE owner_id = $1 AND id = ${SOME} AND $3::bigint > 0`,
  `DELETE FROM transactions WHERE owner_id = $1 AND id = ${SOME} AND $3::bigint > 0`,
  `WITH old AS (DELETE FROM transactions WHERE owner_id = $1 AND id = ${SOME} RETURNING *)
   INSERT INTO transactions (id, version, owner_id, property_id, ${PARTS})
   SELECT old.id, old.version + 1, p.owner_id, p.id, ${PARTS.replaceAll(/\w+/g, 'old.$&')}
     FROM old, properties p WHERE p.id = $3`,
];
/** A row of an owner, a property, another owner's property, and a file that updates up to three rows. */
type Some = readonly [row: number, place: number, elsewhere: number, rows: string];
const NOTHING: Some = [0, 0, 0, '{"id":1,"version":1}'];

/** Follows the changes of one owner's rows, at random, and keeps a copy of them: by id, their versions and times. */
class Reader {
  readonly copy = new Map<string, string>();
  private cursor = '';

  constructor(
    readonly ownerId: string,
    readonly kind: Kind,
  ) {}

  async poll(caller: Client, size: number): Promise<void> {
    this.apply(await changesPage(caller, `/api/${this.kind}/changes?size=${size}&cursor=${this.cursor}`));
  }

  async finish(caller: Client): Promise<void> {
    this.apply(await follow(caller, this.cursor, `/api/${this.kind}/changes?`));
  }

  private apply({ changes, next }: Awaited<ReturnType<typeof changesPage>>): void {
    for (const { at, id, version, transaction, property } of changes)
      if (id !== undefined) this.copy.delete(String(id));
      else this.copy.set(String((transaction ?? property)!.id), `${version} of ${at}`);
    this.cursor = next;
  }
}

/** The service with all that happens to it at once. */
class World {
  readonly statuses = new Map<number, number>();
  readonly readers: Reader[] = [];
  private readonly owners: string[] = [];
  private admin = '';
  private left: number;
  private restarting: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly server: PostgresServer,
    private service: Service,
    private readonly random: Random,
    readonly steps: number,
    private readonly progress: (calls: number) => void,
  ) {
    this.left = steps;
  }

  async run(): Promise<string[]> {
    this.admin = (await this.service.account('ADMIN')).id;
    for (let left = OWNERS; left > 0; left--) {
      const account = await this.service.account();
      this.owners.push(account.id);
      for (let places = PLACES; places > 0; places--)
        await account.post('/api/properties', propertyRequest());
    }
    this.readers.push(...this.owners.flatMap((id) => KINDS.map((kind) => new Reader(id, kind))));
    const loops = [
      ...Array.from({ length: WRITERS }, () => this.loop(() => this.write())),
      ...Array.from({ length: BESIDE }, () => this.loop(() => this.writeBeside())),
      this.loop(() => this.poll()),
      this.restartAt(0.7, async () => {
        await this.service.stop();
        this.service = await startService({}, this.server.url);
      }),
      this.restartAt(0.4, async () => {
        await this.server.stop();
        await this.server.start();
        await until(async () => (await this.caller(this.admin).get('/api/users/me')).status === 200);
      }),
    ];
    await Promise.all(loops);
    await Promise.all(this.readers.map((reader) => reader.finish(this.caller(reader.ownerId))));
    return (await Promise.all(this.readers.map((reader) => this.faultsOf(reader)))).flat();
  }

  async stop(): Promise<void> {
    await this.service.stop();
  }

  private caller(id: string): Client {
    return this.service.caller(id, id === this.admin ? 'ADMIN' : 'USER');
  }

  private async loop(step: () => Promise<void>): Promise<void> {
    while (this.left > 0) {
      await this.restarting;
      await step();
    }
  }

  /** When so many of the steps are left. */
  private async restartAt(part: number, restart: () => Promise<void>): Promise<void> {
    await until(() => this.left <= this.steps * part, 3_600_000);
    this.restarting = this.restarting.then(restart);
    await this.restarting;
  }

  private async write(): Promise<void> {
    const { random } = this;
    const owner = random.pick(this.owners);
    const [row, place, elsewhere, rows] = await this.some(owner, random.below(40)).catch(() => NOTHING);
    const [caller, admin] = [this.caller(owner), this.caller(this.admin)];
    const body = transactionRequest(place, { amount: random.below(1000) + 1, description: `${this.left}` });
    const calls: [weight: number, call: () => Promise<HttpResponse>][] = [
      [6, () => caller.post('/api/transactions', body)],
      [5, () => caller.put(`/api/transactions/${row}`, body)],
      [3, () => caller.delete(`/api/transactions/${row}`)],
      [3, () => admin.put(`/api/transactions/${row}`, transactionRequest(elsewhere))],
      [1, () => caller.post('/api/properties', propertyRequest())],
      [1, () => caller.put(`/api/properties/${place}`, propertyRequest({ name: `${this.left}` }))],
      [1, () => caller.delete(`/api/properties/${place}`)],
      [1, () => caller.post('/api/transactions/batch', { transactions: [body, body] })],
      [1, () => caller.post('/api/transactions/import', JSON.stringify(body), NDJSON)],
      [2, () => caller.post('/api/transactions/import?mode=update', rows, NDJSON)],
    ];
    const send = random.pick(calls.flatMap(([weight, call]) => Array<typeof call>(weight).fill(call)));
    const response = await send().catch(() => undefined); // the service is just being restarted
    this.left--;
    if (this.left % 100 === 0) this.progress(this.steps - this.left);
    if (response === undefined) return;
    this.statuses.set(response.status, (this.statuses.get(response.status) ?? 0) + 1);
    if (!ALLOWED.test(outcomeOf(response))) throw new Error(`${outcomeOf(response)}: ${response.text}`);
  }

  /** A transaction that is committed late, perhaps by another session, or not at all. */
  private async writeBeside(): Promise<void> {
    const { random } = this;
    const owner = random.pick(this.owners);
    const begun = performance.now();
    const lasts = random.below(LONGEST);
    const name = `late-${this.left}-${random.below(1e9)}`;
    try {
      const client = await openConnection(this.server.url);
      await client.query(`BEGIN; SET LOCAL lock_timeout = '1s'`);
      await this.waitFor(begun + lasts / 2);
      const [, , elsewhere] = await this.some(owner, 0);
      for (let count = random.below(3); count >= 0; count--)
        await client.query(random.pick(STATEMENTS), [owner, random.below(40), elsewhere]);
      if (random.chance(0.5)) await client.query(`PREPARE TRANSACTION '${name}'`);
      await this.waitFor(begun + lasts);
      await client.query(random.chance(0.8) ? 'COMMIT' : 'ROLLBACK');
      await client.end();
    } catch {
      // its connection broke, or it would have waited too long
    }
    // What is prepared outlives a restart.
    const end = `${random.chance(0.8) ? 'COMMIT' : 'ROLLBACK'} PREPARED '${name}'`;
    const prepared = `SELECT FROM pg_prepared_xacts WHERE gid = '${name}'`;
    await until(async () => {
      const left = await this.server.sql(prepared).catch(() => [{}]);
      if (left.length > 0) await this.server.sql(end).catch(() => undefined);
      return left.length === 0;
    });
  }

  private async waitFor(time: number): Promise<void> {
    await until(() => performance.now() >= time || this.left <= 0);
  }

  /** What writers need of an owner's rows and places. */
  private async some(owner: string, number: number): Promise<Some> {
    const [found] = await this.service.sql<Record<'row' | 'place' | 'elsewhere', number> & { rows: string }>(
      `SELECT (SELECT id FROM transactions WHERE owner_id = $1 ORDER BY id OFFSET $2 LIMIT 1)::int AS row,
              (SELECT id FROM properties WHERE owner_id = $1 ORDER BY id OFFSET $2 % 5 LIMIT 1)::int AS place,
              (SELECT id FROM properties WHERE owner_id <> $1 ORDER BY id OFFSET $2 % 7 LIMIT 1)::int AS elsewhere,
              (SELECT string_agg(json_build_object('id', id, 'version', version, 'amount', amount + 1)::text, E'\\n')
                 FROM (SELECT * FROM transactions WHERE owner_id = $1 ORDER BY id OFFSET $2 LIMIT 3) t) AS rows`,
      [owner, number],
    );
    return [found?.row ?? 0, found?.place ?? 0, found?.elsewhere ?? 0, found?.rows ?? NOTHING[3]];
  }

  private async poll(): Promise<void> {
    const reader = this.random.pick(this.readers);
    const size = this.random.pick([1, 3, 1000]);
    await reader.poll(this.caller(reader.ownerId), size).catch((error: unknown) => {
      if (!/ 503 |ECONN|socket hang up/.test(String(error))) throw error;
    });
    this.left--;
  }

  private async faultsOf({ ownerId, kind, copy }: Reader): Promise<string[]> {
    const stored = await this.service.sql<{ id: string; version: number; updated_at: Date }>(
      `SELECT id, version, updated_at FROM ${kind} WHERE owner_id = $1`,
      [ownerId],
    );
    const rows = new Map(
      stored.map(({ id, version, updated_at: at }) => [id, `${version} of ${at.toISOString()}`]),
    );
    return [...new Set([...rows.keys(), ...copy.keys()])]
      .filter((id) => rows.get(id) !== copy.get(id))
      .map((id) => `${kind}/${id} is ${rows.get(id) ?? 'gone'}, its copy ${copy.get(id) ?? 'missing'}`);
  }
}

/**
 * Writers through the service and beside it, commits held back, prepared transactions, restarts of the service and of
 * PostgreSQL, and readers who poll at random: in the end their copies must equal the ledger.
 */
export async function checkChanges(
  server: PostgresServer,
  { calls, seed }: CheckOptions,
  progress: (calls: number) => void = () => undefined,
): Promise<Checked> {
  await withDataSource(testSettings(server.url).database, migrate);
  const service = await startService({}, server.url);
  const world = new World(server, service, new Random(seed), calls, progress);
  const faults = await world.run().finally(() => world.stop());
  if (faults.length > 0) throw new Error(faults.slice(0, 20).join('\n'));
  return { calls, statuses: world.statuses };
}
