import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
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
const execute = promisify(execFile);

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
    load.start();
    await sleep(short ? 1000 : 5000);
    const file = join(rig.folder, 'ledger.dump');
    await execute(join(BINARIES, 'pg_dump'), ['-Fc', '-d', cluster.adminUrl, '-f', file]);
    await sleep(short ? 1000 : 5000);
    const ledger = await settle(scene);
    await cluster.sql(`CREATE DATABASE restored OWNER ${ROLE} TEMPLATE template0`);
    const [adminUrl, databaseUrl] = [cluster.adminUrl, cluster.url].map(
      (url) => Object.assign(new URL(url), { pathname: '/restored' }).href,
    ) as [string, string];
    const options = ['--exit-on-error', '--single-transaction', '-d', adminUrl, file];
    await execute(join(BINARIES, 'pg_restore'), options);
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
      criterion('the service serves from it', found !== '0', `${found} of an owner`),
      ...serviceIsWell(service),
    ];
  },
};
