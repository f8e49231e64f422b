import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { findBinaries } from '../../../src/quickstart/embedded-postgres/binaries.js';
import { rowsOf } from '../../support/connect.js';
import { WRONG_TOTALS } from '../../support/totals.js';
import type { Protocol } from '../protocol.js';
import { ROLE } from '../support/cluster.js';
import { allSucceedFrom, criterion, failuresAreProblems, serviceIsWell } from '../support/criteria.js';
import { withCaller } from '../support/http.js';
import { settle } from '../support/rig.js';

const FAILURE_BOUND = 3000;
const { folder: BINARIES } = findBinaries(process.env);

/** The block of a document that has these words, in lines. */
function blockWith(words: string, file: string): string[] {
  const block = readFileSync(file, 'utf8')
    .split('```')
    .find((part) => part.includes(words));
  return block!.split('\n').slice(1);
}

/** As docs/operations.md describes it. */
export const RESTORED: Protocol = {
  name: 'restored',
  title: 'the ledger is dumped while it is written to, and restored',
  obstacle: () =>
    existsSync(join(BINARIES, 'pg_dump'))
      ? undefined
      : 'there is no pg_dump beside this PostgreSQL; with Debian’s there is: PG_BIN=/usr/lib/postgresql/15/bin',
  async run(rig, short) {
    const scene = await rig.scene();
    const { cluster, load, service, owners } = scene;
    await cluster.sql(`CREATE ROLE ${ROLE}_owner LOGIN`);
    await cluster.sql(`REASSIGN OWNED BY ${ROLE} TO ${ROLE}_owner`);
    const asOwner = Object.assign(new URL(cluster.adminUrl), { username: `${ROLE}_owner` }).href;
    for (const grant of blockWith('GRANT USAGE', 'docs/security.md').filter(Boolean))
      await rowsOf(asOwner, grant);
    const { port, searchParams, username } = new URL(cluster.adminUrl);
    const env = { PATH: BINARIES, PGHOST: searchParams.get('host')!, PGPORT: port, PGUSER: username };
    const steps = blockWith('pg_restore', 'docs/operations.md').filter((line) => !line.includes('npm'));
    const [dump = '', ...restore] = steps.map((line) => line.replace(`-d ${ROLE} `, '-d ledger '));
    const execute = (commands: string): Promise<unknown> =>
      promisify(execFile)('/bin/sh', ['-ec', commands], { cwd: rig.folder, env });
    load.start();
    await sleep(short ? 1000 : 5000);
    await execute(dump);
    await sleep(short ? 1000 : 5000);
    const ledger = await settle(scene);
    await execute(restore.join('\n'));
    const [adminUrl, databaseUrl] = [cluster.adminUrl, cluster.url].map(
      (url) => Object.assign(new URL(url), { pathname: '/restored' }).href,
    ) as [string, string];
    const rights = `SELECT has_schema_privilege('public', 'CREATE') OR has_database_privilege(current_database(), 'TEMP') AS more`;
    const [role] = await rowsOf<{ more: boolean }>(databaseUrl, rights);
    const wrong = await rowsOf(adminUrl, WRONG_TOTALS);
    const restored = await rig.launch({ databaseUrl }).ready();
    const served = await withCaller(restored.url, (caller) =>
      caller.get('/api/transactions', owners[0]!.token),
    );
    const [, found = '0'] = /"totalElements":(\d+)/.exec(served.text) ?? [];
    return [
      ...ledger,
      ...failuresAreProblems(load.replies, FAILURE_BOUND),
      allSucceedFrom('no request fails for a dump', load.replies, 0),
      criterion('the totals are right', wrong.length === 0, `${wrong.length} wrong`),
      criterion('the role of the service has no more rights there', role?.more === false, `${role?.more}`),
      criterion('the service serves from it', found !== '0', `${found} of an owner`),
      ...serviceIsWell(service),
    ];
  },
};
