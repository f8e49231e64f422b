import { writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Cleanup } from '../../bench/cleanup.js';
import { print, runCommand } from '../../bench/command.js';
import { flag, internal, list, text, UsageError } from '../../bench/options.js';
import type { FaultOptions, Protocol } from './protocol.js';
import { PROTOCOLS } from './protocols/all.js';
import { isWorthAnotherTry, type Outcome, type Try, verdictOf } from './outcome.js';
import { criterionLine, outcomeTable, stallLine, titleLine } from './report.js';
import { type Rig, withRig } from './support/rig.js';

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

async function tryOnce(protocol: Protocol, options: Options, atTheEnd: Cleanup): Promise<Try> {
  const begin = performance.now();
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  const work = async (rig: Rig): Promise<Try> => {
    const criteria = await protocol.run(rig, options);
    for (const criterion of criteria) print(criterionLine(criterion));
    const stall = delay.max / 1e6;
    print(stallLine(stall, loadavg()[0]));
    return { seconds: (performance.now() - begin) / 1000, stall, criteria };
  };
  return withRig(atTheEnd, work, options.smallDisk);
}

async function runProtocol(protocol: Protocol, options: Options, cleanup: Cleanup): Promise<Outcome> {
  const { name, title } = protocol;
  print(titleLine(protocol));
  const skipped = protocol.obstacle?.();
  if (skipped !== undefined) {
    print(`  skipped: ${skipped}\n`);
    return { name, title, tries: [], skipped };
  }
  const first = await tryOnce(protocol, options, cleanup);
  if (!options.again || !isWorthAnotherTry(first)) return { name, title, tries: [first] };
  print('  nothing but times were missed: once more\n');
  return { name, title, tries: [first, await tryOnce(protocol, options, cleanup)] };
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
      'run a protocol that misses nothing but times a second time, whose times then count: a machine that is busy ' +
        'with something else misses what says nothing of the service',
    ),
    json: text('FILE', 'write the results there as well'),
    'small-disk': internal(),
  },
  example: '--short --only crash',
  success: 'no criterion is missed',
  failure: 'one is, or nothing could be run',
  async run({ only, short, again, json, 'small-disk': smallDisk }, cleanup) {
    const outcomes: Outcome[] = [];
    for (const protocol of chooseProtocols(only))
      outcomes.push(await runProtocol(protocol, { short, again, smallDisk }, cleanup));
    print(outcomeTable(outcomes));
    const results: Results = { node: process.version, cores: availableParallelism(), short, outcomes };
    if (json !== undefined) writeFileSync(json, `${JSON.stringify(results, null, 2)}\n`);
    const verdicts = outcomes.map(verdictOf);
    return verdicts.includes('met') && !verdicts.includes('missed') ? 0 : 1;
  },
});
