import { progress } from '../../../bench/command.js';
import { flag, list } from '../../../bench/options.js';
import { cache, runCriteria, type Tell } from '../../faults/support/command.js';
import { type Rig, withRig } from '../../faults/support/rig.js';
import { byDefault, inUse, locked, tooSmall, type Setting } from './cases.js';
import { files } from './files.js';
import { installedPgBouncer, type Mode, pgBouncerOf } from './pgbouncer.js';
import { oneConnection, startedTogether } from './together.js';

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
  tell: Tell,
): Promise<void> {
  const cluster = await rig.cluster();
  for (const [name, run] of Object.entries(CASES)) {
    if (only.length > 0 && !only.includes(name)) continue;
    const title = `PgBouncer ${setting.pgbouncer.version}, ${setting.mode} mode: ${name}`;
    progress(title);
    tell(await run({ rig, cluster, ...setting }), title);
  }
}

await runCriteria({
  call: 'npm run test:poolers',
  about:
    'Runs the service behind PgBouncer with its own defaults, that of Debian 12 (1.18) and that of Debian 13 (1.24), in ' +
    'session and in transaction mode: what it says without the right setting, requests and prepared statements, files of ' +
    'rows, a locked table, a pool that is too small, and two instances that start together on an empty database. Takes three minutes. PgBouncer and ' +
    'mmdebstrap have to be installed.',
  options: {
    long: flag(`${LONG_STARTS} such starts in place of ${STARTS}`),
    cache: cache('poolers', 'the second PgBouncer and its libraries'),
    only: list('CASE', `of ${Object.keys(CASES).join(', ')}`),
  },
  example: '--only locked,tooSmall',
  async run({ long, cache: folder, only }, atTheEnd, tell) {
    const starts = long ? LONG_STARTS : STARTS;
    for (const pgbouncer of [installedPgBouncer(), pgBouncerOf(RELEASE, folder)])
      for (const mode of MODES)
        await withRig(atTheEnd, (rig) => runAll(rig, { pgbouncer, mode, starts }, only, tell));
  },
});
