import { homedir } from 'node:os';
import { join } from 'node:path';
import { print, progress, runCommand } from '../../bench/command.js';
import { flag, list, text } from '../../bench/options.js';
import { criterionLines } from '../faults/report.js';
import type { Criterion } from '../faults/protocol.js';
import { type Rig, withRig } from '../faults/support/rig.js';
import { byDefault, inUse, locked, tooSmall, type Setting } from './cases.js';
import { files } from './files.js';
import { installedPgBouncer, type Mode, pgBouncerOf } from './pgbouncer.js';
import { oneConnection, startedTogether } from './together.js';

const CACHE = join(homedir(), '.cache/property-finance-poolers');
/** Debian 13, with PgBouncer 1.24. */
const RELEASE = 'trixie';
/** Of two instances on an empty database, and that with --long. */
const [STARTS, LONG_STARTS] = [5, 20];
const MODES: readonly Mode[] = ['session', 'transaction'];
const CASES = { byDefault, inUse, files, locked, tooSmall, oneConnection, startedTogether };

async function runAll(
  rig: Rig,
  setting: Omit<Setting, 'rig' | 'cluster'>,
  only: readonly string[],
): Promise<Criterion[]> {
  const cluster = await rig.cluster();
  const criteria: Criterion[] = [];
  for (const [name, run] of Object.entries(CASES)) {
    if (only.length > 0 && !only.includes(name)) continue;
    progress(`PgBouncer ${setting.pgbouncer.version}, ${setting.mode} mode: ${name}`);
    criteria.push(...(await run({ rig, cluster, ...setting })));
  }
  const title = `${setting.pgbouncer.version}, ${setting.mode}`;
  return criteria.map((criterion) => ({ ...criterion, name: `${title}: ${criterion.name}` }));
}

await runCommand({
  call: 'npm run test:poolers',
  about:
    'Runs the service behind PgBouncer with its own defaults, that of Debian 12 (1.18) and that of Debian 13 (1.24), in ' +
    'session and in transaction mode: what it says without the right setting, requests and prepared statements, files of ' +
    'rows, a locked table, a pool that is too small, and two instances that start together on an empty database. Takes three minutes. PgBouncer and ' +
    'mmdebstrap have to be installed.',
  options: {
    long: flag(`${LONG_STARTS} such starts in place of ${STARTS}`),
    cache: text('DIR', `where the second PgBouncer goes (${CACHE})`),
    only: list('CASE', `of ${Object.keys(CASES).join(', ')}`),
  },
  example: '--only locked,tooSmall',
  success: 'no criterion is missed',
  failure: 'one is, or what it needs is missing',
  async run({ long, cache = CACHE, only }, atTheEnd) {
    const criteria: Criterion[] = [];
    const starts = long ? LONG_STARTS : STARTS;
    for (const pgbouncer of [installedPgBouncer(), pgBouncerOf(RELEASE, cache)])
      for (const mode of MODES)
        criteria.push(...(await withRig(atTheEnd, (rig) => runAll(rig, { pgbouncer, mode, starts }, only))));
    print(criterionLines(criteria));
    return criteria.length > 0 && criteria.every(({ passed }) => passed) ? 0 : 1;
  },
});
