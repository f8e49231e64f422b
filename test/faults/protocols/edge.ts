import { once, setMaxListeners } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { transactionRequest } from '../../support/factories.js';
import { claimsOf, forge } from '../../support/forged-token.js';
import type { Criterion, Protocol } from '../protocol.js';
import { type Attack, ATTACKERS, ATTACKS, CONNECTIONS, type Stage, times } from '../support/attacks.js';
import { criterion, memoryIsBounded, none, serviceIsWell, timing } from '../support/criteria.js';
import type { Cluster } from '../support/cluster.js';
import { percentile, tally, time } from '../support/figures.js';
import { dial, withCaller, wordOf } from '../support/http.js';
import type { Meters } from '../support/meters.js';
import { type Seen, Witness } from '../support/witness.js';

/** In MB. */
const PEAK = 420;
/** Milliseconds, of which one request in a hundred may take more. */
const BOUNDS = { others: 150, liveness: 100 };
/** Milliseconds until an export of another account begins. */
const EXPORT_BEGINS = 25_000;
const ACCOUNTS = 30_000;

/** Milliseconds between two parts of a response that a client takes slowly, and until a client leaves. */
const PAUSE = 200;

/** Of an export, the longest part is its wait. */
const OF_EXPORTS = 'exports that are read slowly';

export const EDGE: Protocol = {
  name: 'edge',
  title: `${Object.keys(ATTACKS).length} attacks before the database, beside another account`,
  async run(rig, short) {
    const cluster = await rig.cluster();
    const meters = join(rig.folder, 'meters.json');
    const env = { METERS: meters, MAX_CONNECTIONS: String(short ? CONNECTIONS / 10 : CONNECTIONS) };
    const nodeArgs = ['--import', pathToFileURL(join(import.meta.dirname, '../support/meters.js')).href];
    const launch = { databaseUrl: cluster.url, env, nodeArgs, isLimited: true };
    const service = await rig.launch(launch).ready();
    const { url } = service;
    const stage = { url, ...(await fill(cluster, url, short ? ACCOUNTS / 10 : ACCOUNTS)) };
    const witness = new Witness(rig, { url: stage.url, token: stage.other, requests: stage.requests });
    const criteria: Criterion[] = [];
    const refused: string[] = [];
    for (const [index, [name, attack]] of Object.entries(ATTACKS).entries()) {
      if (short && name === OF_EXPORTS) continue;
      const attackers = times(ATTACKERS, (at) => stage.attackers[(index + at) % ATTACKERS]!); // others rest
      await witness.seen();
      criteria.push(...(await attacked({ ...stage, attackers }, name, attack, short)));
      const seen = await witness.seen();
      refused.push(...seen.refused.map((word) => `${word} beside ${name}`));
      if (!short) criteria.push(...timesAreShort(name, seen));
    }
    return [
      ...criteria,
      none("refusal of the other account's requests, and of liveness", refused),
      ...withinBounds(JSON.parse(readFileSync(meters, 'utf8')) as Meters),
      memoryIsBounded(service, PEAK),
      ...serviceIsWell(service),
    ];
  },
};

type Settled = Omit<Stage, 'end'>;

async function attacked(stage: Settled, name: string, attack: Attack, short: boolean): Promise<Criterion[]> {
  const end = AbortSignal.timeout(short ? 1500 : name === OF_EXPORTS ? EXPORT_BEGINS + 5000 : 10_000);
  setMaxListeners(0, end);
  const [words, begins] = await Promise.all([
    run({ ...stage, end }, attack, short),
    name === OF_EXPORTS ? exportBegins(stage) : [],
  ]);
  const isRight = words.every((word) => attack.statuses.split(' ').includes(word));
  return [criterion(`${name}: ${attack.statuses} or nothing`, isRight, tally(words) || 'nothing'), ...begins];
}

function timesAreShort(name: string, seen: Seen): Criterion[] {
  return (['others', 'liveness'] as const).map((who) => {
    const [p50, p99, bound] = [percentile(seen[who], 50), percentile(seen[who], 99), BOUNDS[who]];
    const measured = `${time(p50)}/${time(p99)}`;
    return timing(`${name}: ${who}, p99 ≤ ${bound} ms`, p99 <= bound, measured, p99 / bound);
  });
}

/** An ADMIN and owners, among so many accounts with the longest names. The attackers' pages are long, the other's are not. */
async function fill({ sql }: Cluster, url: string, accounts: number) {
  await sql(
    `INSERT INTO users (id, email, username, password_hash, first_name, last_name, role)
     SELECT n, n || repeat('e', 240) || '@x', 'user ' || n, '$2b$10$' || repeat('a', 53), repeat(chr(1), 255),
            repeat(chr(1), 255), CASE n WHEN 1 THEN 'ADMIN' ELSE 'USER' END FROM generate_series(1, $1::integer) n`,
    [accounts],
  );
  await sql(
    `INSERT INTO properties (owner_id, name, address, base_price, max_guests, bedrooms, bathrooms, active, house_rules,
                             check_in_instructions)
     SELECT o, 'House', 'Street', 1, 1, 1, 1, true, long, long
       FROM generate_series(2, $1::integer) o, generate_series(1, 100) n, concat('€', repeat(chr(1), CASE o WHEN 2 THEN 99 ELSE 9999 END)) long`,
    [2 + ATTACKERS],
  );
  await sql(
    `INSERT INTO transactions (owner_id, property_id, property_name, type, category, description, amount, date, status,
                               recurring, metadata)
     SELECT owner_id, id, 'House', 'INCOME', 'TAXES', 'Row', 1, now(), 'PAID', false,
            jsonb_build_object('a', repeat('x', 10000))
       FROM (SELECT owner_id, min(id) AS id FROM properties GROUP BY owner_id) p, generate_series(1, $1::integer)`,
    [accounts / 15],
  );
  await sql('ANALYZE');
  const [row] = await sql<Record<'id' | 'property', string>>(
    'SELECT max(id) AS id, max(property_id) AS property FROM transactions WHERE owner_id = 2',
  );
  const body = transactionRequest(Number(row?.property), { notes: 'n'.repeat(800) });
  const tokens = times(2 + ATTACKERS, (index) => forge({ payload: claimsOf({ id: String(index + 1) }) }));
  const [admin = '', other = '', ...attackers] = tokens;
  const made = await withCaller(url, (caller) =>
    caller.post('/api/keys', { name: 'K', access: 'READ' }, other),
  );
  const { key: token } = JSON.parse(made.text) as Record<string, string>;
  const requests = [
    { method: 'GET', path: `/api/transactions/${row?.id}` },
    { method: 'GET', path: '/api/properties?size=100', token },
    { method: 'POST', path: '/api/transactions', body },
  ];
  return { admin, other, attackers, requests };
}

/** In the gate from a tenth of the connections, and once. */
async function run(stage: Stage, attack: Attack, short: boolean): Promise<string[]> {
  const sent = attack.sent(stage).map((text) => Buffer.from(text));
  const repeat = async (index: number): Promise<string[]> => {
    const words: string[] = [];
    do words.push(...(await exchange(stage, sent[index % sent.length]!, attack)));
    while (!short && !stage.end.aborted);
    return words;
  };
  const connections = short ? Math.ceil(attack.connections / 10) : attack.connections;
  return (await Promise.all(times(connections, repeat))).flat();
}

/** The statuses on a connection until it ends. */
async function exchange({ url, end }: Stage, bytes: Buffer, attack: Attack): Promise<string[]> {
  const { taken, bytewise, leaves } = attack;
  const socket = dial(url);
  const words: string[] = [];
  const read = (part: Buffer): void => {
    for (const [, status = ''] of part.toString('latin1').matchAll(/HTTP\/1\.1 (\d{3})/g)) words.push(status);
  };
  const close = (): void => void socket.destroy();
  end.addEventListener('abort', close);
  if (taken === undefined) socket.on('data', read);
  else void readSlowly();
  const length = bytewise === true ? 1 : bytes.length;
  for (let at = 0; at < bytes.length && !socket.destroyed; at += length) {
    socket.write(bytes.subarray(at, at + length));
    if (bytewise === true) await setImmediate();
  }
  if (leaves === true) void sleep(PAUSE).then(close);
  if (!socket.destroyed) await once(socket, 'close').catch(() => undefined); // a reset is an end, too
  end.removeEventListener('abort', close);
  return words;

  async function readSlowly(): Promise<void> {
    socket.pause();
    while (!socket.destroyed) {
      await sleep(PAUSE);
      const part = socket.read(Math.min(taken! / 5, socket.readableLength)) as Buffer | null;
      if (part !== null) read(part);
    }
  }
}

/** Once each place has been taken. */
async function exportBegins({ url, other }: Settled): Promise<Criterion[]> {
  await sleep(2000);
  return withCaller(url, async (caller) => {
    const reply = await caller.post('/api/transactions/export', {}, other);
    const measured = `${wordOf(reply)} in ${time(reply.took)}`;
    const isInTime = reply.status === 200 && reply.took <= EXPORT_BEGINS;
    return [timing('export of another account begins within 25 s', isInTime, measured)];
  });
}

/** A part of a text, or a row with a thousand tags and a thousand members, is not divided. */
function withinBounds({ taken, characters, values, faults }: Meters): Criterion[] {
  return [
    criterion('bytes held ≤ the budget', taken <= 1, `${Math.round(taken * 100)} %`),
    criterion(
      'characters of a turn ≤ 64 Ki and a part of a text',
      characters <= 80 * 1024,
      String(characters),
    ),
    criterion('values of a turn ≤ 1,000 and a row', values <= 3100, String(values)),
    criterion('faults of a request ≤ 50', faults <= 50, String(faults)),
  ];
}
