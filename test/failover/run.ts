import { print, runCommand } from '../../bench/command.js';
import type { Criterion } from '../faults/protocol.js';
import { criterionLines } from '../faults/report.js';
import { serviceIsWell } from '../faults/support/criteria.js';
import { Ledger } from '../faults/support/ledger.js';
import { type Rig, withRig } from '../faults/support/rig.js';
import { failover } from './episode.js';
import { Pair } from './pair.js';

const TITLES = ['the first server is killed', 'the second server is killed'];

async function thereAndBack(rig: Rig): Promise<Criterion[]> {
  const pair = await Pair.start(rig);
  const service = await rig.launch({ databaseUrl: pair.url }).ready();
  const books = { owners: await rig.owners(service.url), ledger: new Ledger() };
  const criteria: Criterion[] = [];
  const tell = (title: string, found: readonly Criterion[]): void => {
    print(`\n${title}\n${criterionLines(found)}`);
    criteria.push(...found);
  };
  for (const title of TITLES) tell(title, await failover(pair, service, books));
  tell('the service', serviceIsWell(service));
  return criteria;
}

await runCommand({
  call: 'npm run test:failover',
  about:
    'A primary and its synchronous standby, and the service, which is given both, at 300 requests a second: every process ' +
    'of the primary is killed, the standby is promoted a second later, and the old primary comes back as the standby; then the ' +
    'same the other way round. The rows and totals are held against what clients were told. Takes forty seconds.',
  options: {},
  success: 'no criterion is missed',
  failure: 'one is, or nothing could be run',
  async run(_, atTheEnd) {
    const criteria = await withRig(atTheEnd, thereAndBack);
    return criteria.every(({ passed }) => passed) ? 0 : 1;
  },
});
