import { homedir } from 'node:os';
import { join } from 'node:path';
import { print, runCommand } from '../../bench/command.js';
import { flag, text } from '../../bench/options.js';
import type { Criterion } from '../faults/protocol.js';
import { criterionLines } from '../faults/report.js';
import { withRig } from '../faults/support/rig.js';
import type { Tell } from './episode.js';
import { switchedAndKilled } from './long.js';
import { findPrograms } from './programs.js';
import { thereAndBack } from './short.js';

const CACHE = join(homedir(), '.cache/property-finance-failover');

await runCommand({
  call: 'npm run test:failover',
  about:
    'A primary and its synchronous standby, and the service, which is given both, at 300 requests a second: every process ' +
    'of the primary is killed, the standby is promoted a second later, and the old primary comes back as the standby; then the ' +
    'same the other way round. The rows and totals are held against what clients were told. Takes forty seconds. With --long ' +
    'Patroni runs three servers by way of etcd, and the service is given all of them or HAProxy in front: a switchover, ' +
    'and the leader killed. Takes two minutes; etcd, HAProxy, Python and Debian’s PostgreSQL have to be installed.',
  options: {
    long: flag('with Patroni, etcd and HAProxy in place of two servers'),
    cache: text('DIR', `where Patroni is installed (${CACHE})`),
  },
  success: 'no criterion is missed',
  failure: 'one is, or what it needs is missing',
  async run({ long, cache = CACHE }, atTheEnd) {
    const criteria: Criterion[] = [];
    const tell: Tell = (title, found) => {
      print(`\n${title}\n${criterionLines(found)}`);
      criteria.push(...found);
    };
    const programs = long ? findPrograms(cache) : undefined;
    await withRig(atTheEnd, (rig) =>
      programs === undefined ? thereAndBack(rig, tell) : switchedAndKilled(rig, programs, tell),
    );
    return criteria.every(({ passed }) => passed) ? 0 : 1;
  },
});
