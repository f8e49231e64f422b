import { writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Cleanup } from '../../bench/cleanup.js';
import { print, runCommand } from '../../bench/command.js';
import { flag, internal, list, text, UsageError } from '../../bench/options.js';
import type { FaultOptions, Protocol } from './protocol.js';
import { PROTOCOLS } from './protocols/all.js';
import { criterionLine, type Outcome, outcomeTable, stallLine, titleLine } from './report.js';
import { Rig } from './support/rig.js';

/** What `--json` writes. */
interface Results {
  readonly node: string;
  readonly cores: number;
  readonly short: boolean;
  readonly outcomes: readonly Outcome[];
}

interface Options extends FaultOptions {
  readonly again: boolean;
}

function chooseProtocols(only: readonly string[]): readonly Protocol[] {
  const unknown = only.filter((name) => !PROTOCOLS.some((protocol) => protocol.name === name));
  if (unknown.length > 0) {
    const known = PROTOCOLS.map(({ name }) => name).join(', ');
    throw new UsageError(`--only: there is no protocol ${unknown.join(', ')}; there are ${known}`);
  }
  return PROTOCOLS.filter(({ name }) => only.length === 0 || only.includes(name));
}

async function runProtocol(protocol: Protocol, options: Options, atTheEnd: Cleanup): Promise<Outcome> {
  const { name, title } = protocol;
  print(titleLine(protocol));
  const obstacle = protocol.obstacle?.();
  if (obstacle !== undefined) {
    print(`  skipped: ${obstacle}\n`);
    return { name, title, seconds: 0, stall: 0, criteria: [], skipped: obstacle };
  }
  const begin = performance.now();
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  const cleanup = new Cleanup();
  atTheEnd.defer(() => cleanup.run());
  try {
    const criteria = await protocol.run(new Rig(cleanup, process.env, options.smallDisk), options);
    for (const criterion of criteria) print(criterionLine(criterion));
    const stall = delay.max / 1e6;
    print(stallLine(stall, loadavg()[0]));
    return { name, title, seconds: (performance.now() - begin) / 1000, stall, criteria };
  } finally {
    await cleanup.run();
  }
}

async function tryProtocol(protocol: Protocol, options: Options, cleanup: Cleanup): Promise<Outcome> {
  const outcome = await runProtocol(protocol, options, cleanup);
  if (!options.again || isMet(outcome)) return outcome;
  print(`  and once more\n`);
  return { ...(await runProtocol(protocol, options, cleanup)), missedBefore: true };
}

function isMet({ criteria }: Outcome): boolean {
  return criteria.every(({ passed }) => passed);
}

await runCommand({
  call: 'npm run test:faults',
  about:
    'Hurts the service and its database on purpose, each time with a PostgreSQL and a process of their own, and fails ' +
    'when the service does not take it as docs/reliability.md says. Takes about a quarter of an hour.',
  options: {
    only: list('PROTOCOL', 'these protocols alone; a name that does not exist lists all'),
    short: flag('shorter times: about four minutes in all'),
    again: flag(
      'run a protocol that misses a criterion a second time, which then counts: a machine that is busy with ' +
        'something else misses what says nothing of the service',
    ),
    json: text('FILE', 'write the results there as well'),
    'small-disk': internal(),
  },
  example: '--short --only crash',
  success: 'every criterion is met',
  failure: 'one is missed',
  async run({ only, short, again, json, 'small-disk': smallDisk }, cleanup) {
    const outcomes: Outcome[] = [];
    for (const protocol of chooseProtocols(only))
      outcomes.push(await tryProtocol(protocol, { short, again, smallDisk }, cleanup));
    print(outcomeTable(outcomes));
    const results: Results = { node: process.version, cores: availableParallelism(), short, outcomes };
    if (json !== undefined) writeFileSync(json, `${JSON.stringify(results, null, 2)}\n`);
    return outcomes.every(isMet) ? 0 : 1;
  },
});
