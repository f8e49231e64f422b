import { setTimeout as sleep } from 'node:timers/promises';
import type { Criterion, Protocol } from '../protocol.js';
import { criterion } from '../support/criteria.js';
import type { Stored } from '../support/ledger.js';
import { type Scene, settle } from '../support/rig.js';

const LOAD_TIME = 2000;

/** What is done to the database behind the service's back, and the check that has to find it. */
const TAMPERINGS: readonly (readonly [statement: string, finds: string])[] = [
  [
    `DELETE FROM transactions WHERE id = (SELECT min(id) FROM transactions)`,
    'ledger: acknowledged writes are stored',
  ],
  [
    `UPDATE transactions SET booking_reference = 'of nobody' WHERE id = (SELECT min(id) FROM transactions)`,
    'ledger: every row was attempted',
  ],
  [
    `UPDATE transactions SET booking_reference = (SELECT booking_reference FROM transactions ORDER BY id DESC LIMIT 1)
      WHERE id = (SELECT id FROM transactions ORDER BY id DESC OFFSET 1 LIMIT 1)`,
    'ledger: no row twice',
  ],
  [`UPDATE owner_totals SET transactions = transactions + 1`, 'ledger: totals are the real counts'],
];

/** Of the checks themselves: one that cannot fail would prove nothing. */
export const SELF_CHECK: Protocol = {
  name: 'self-check',
  title: 'no fault in the service: rows are tampered with, and the ledger check has to see it',
  async run(rig) {
    const scene = await rig.scene();
    scene.load.start();
    await sleep(LOAD_TIME);
    const sound = await settle(scene);
    const found: Criterion[] = [];
    for (const [statement, finds] of TAMPERINGS) found.push(await seen(scene, statement, finds));
    return [...sound, ...found, ...(await misled(scene))];
  },
};

async function seen({ ledger, cluster }: Scene, statement: string, finds: string): Promise<Criterion> {
  await cluster.sql(statement);
  return failing(await ledger.check(cluster.sql), finds, statement.slice(0, 24));
}

/** The other way about: the database is as it was, and the book says otherwise. */
async function misled({ ledger, cluster }: Scene): Promise<Criterion[]> {
  const [row] = await cluster.sql<Stored>(
    `SELECT booking_reference AS marker FROM transactions WHERE booking_reference LIKE 'marker-%' LIMIT 1`,
  );
  ledger.settle(row?.marker ?? '', 'refused');
  ledger.attempt();
  const checks = await ledger.check(cluster.sql);
  return [
    failing(checks, 'ledger: nothing refused or deleted is stored', 'a refused write that is stored'),
    failing(checks, 'ledger: every write ended', 'a write that never ended'),
  ];
}

function failing(checks: readonly Criterion[], name: string, what: string): Criterion {
  const check = checks.find((candidate) => candidate.name === name);
  return criterion(`seen: ${what}`, check?.passed === false, `${name}: ${check?.measured ?? 'not checked'}`);
}
