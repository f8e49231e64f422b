import type { Criterion } from '../../faults/protocol.js';
import { criterion } from '../../faults/support/criteria.js';
import { count, tally } from '../../faults/support/figures.js';
import { Caller, type Call, type Reply, succeeded } from '../../faults/support/http.js';
import type { Owner } from '../../faults/support/accounts.js';
import { requests, type Setting } from './cases.js';
import { startPgBouncer } from './pgbouncer.js';
import { batchOf, linesOf } from './rows.js';

/** Enough for an export to fetch several times. */
const ROWS = 3000;
const BATCH = 100;
const VENDOR = 'From a file';

/** Transactions of several statements: files and batches go in under a key and come out whole, while others ask for their own. */
export async function files({ rig, ...setting }: Setting): Promise<Criterion[]> {
  const databaseUrl = await startPgBouncer(rig, setting.pgbouncer, setting);
  const service = await rig.launch({ databaseUrl, env: { DB_POOLER: setting.mode }, name: 'files' }).ready();
  const owners = await rig.owners(service.url);
  const caller = new Caller(service.url);
  const faults: string[] = [];
  for (const owner of owners) faults.push(...(await filledTwice(caller, owner)));
  const whileReading = Promise.all(owners.map((owner) => exported(caller, owner)));
  const others = await requests(caller, owners, { exports: false });
  faults.push(...(await whileReading).flat(), ...others.filter((reply) => !succeeded(reply)).map(statusOf));
  caller.close();
  await service.stop();
  return [
    criterion(
      'files and batches go in once and come out whole',
      faults.length === 0,
      `${count(owners.length * (ROWS + BATCH))} rows, ${count(others.length)} other requests ${tally(faults)}`,
    ),
  ];
}

/** What is wrong where an import and a batch are sent twice, and the key once more for something else. */
async function filledTwice(caller: Caller, { token, propertyId }: Owner): Promise<string[]> {
  const call = (name: string, type: string, body: string): Call & { readonly body: string } => ({
    method: 'POST',
    path: `/api/transactions/${name}`,
    token,
    headers: { 'content-type': type, 'idempotency-key': name },
    body,
  });
  const calls = [
    call('import?duplicates=allow', 'application/x-ndjson', linesOf(propertyId, ROWS, VENDOR)),
    call('batch', 'application/json', JSON.stringify(batchOf(propertyId, BATCH, VENDOR))),
  ];
  const faults: string[] = [];
  for (const once of calls) {
    const [first, again] = [await caller.send(once), await caller.send(once)];
    const other = await caller.send({ ...once, body: `${once.body} ` });
    if (!succeeded(first)) faults.push(statusOf(first));
    if (again.text !== first.text || again.headers['idempotent-replayed'] !== 'true')
      faults.push(`repetition ${statusOf(again)}`);
    if (other.status !== 422) faults.push(`key for another body ${statusOf(other)}`);
  }
  return faults;
}

async function exported(caller: Caller, { token }: Owner): Promise<string[]> {
  const reply = await caller.send({
    method: 'POST',
    path: '/api/transactions/export',
    token,
    headers: { accept: 'application/x-ndjson' },
    body: { vendor: VENDOR },
  });
  const lines = reply.text.split('\n').length - 1;
  return lines === ROWS + BATCH ? [] : [`export of ${lines} lines ${statusOf(reply)}`];
}

function statusOf({ path, status, error }: Reply): string {
  return `${path} ${error ?? status}`;
}
