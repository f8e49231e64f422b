import { flag } from '../../../bench/options.js';
import { cache, runCriteria } from '../../faults/support/command.js';
import { withRig } from '../../faults/support/rig.js';
import { switchedAndKilled } from './long.js';
import { findPrograms } from './programs.js';
import { thereAndBack } from './short.js';

await runCriteria({
  call: 'npm run test:failover',
  about:
    'A primary and its synchronous standby behind a proxy, and the service at 300 requests a second: every process ' +
    'of the primary is killed, the standby is promoted a second later, and the old primary comes back as the standby; then the ' +
    'same the other way round. The rows and totals are held against what clients were told. Takes forty seconds. With --long ' +
    'Patroni runs three servers by way of etcd, with HAProxy in front: a switchover, ' +
    'and the leader killed. Takes two minutes; etcd, HAProxy, Python and Debian’s PostgreSQL have to be installed.',
  options: {
    long: flag('with Patroni, etcd and HAProxy in place of two servers'),
    cache: cache('failover', 'Patroni and what it needs'),
  },
  async run({ long, cache: folder }, atTheEnd, tell) {
    const programs = long ? findPrograms(folder) : undefined;
    await withRig(atTheEnd, (rig) =>
      programs === undefined ? thereAndBack(rig, tell) : switchedAndKilled(rig, programs, tell),
    );
  },
});
