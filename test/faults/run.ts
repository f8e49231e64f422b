import { writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Cleanup } from '../../bench/cleanup.js';
import { print, runCommand } from '../../bench/command.js';
import { flag, list, text, UsageError } from '../../bench/options.js';
import {
  criterionLine,
  isWorthAnotherTry,
  type Outcome,
  outcomeTable,
  type Try,
  verdictOf,
} from './outcome.js';
import type { FaultOptions, Protocol } from './protocol.js';
import { PROTOCOLS } from './protocols/all.js';
import { time } from './support/figures.js';
import { withRig } from './support/rig.js';

interface Options extends FaultOptions {
  readonly only: readonly string[];
  readonly again: boolean;
}

function chosen({ only, short }: Options): readonly Protocol[] {
  const unknown = only.filter((name) => !PROTOCOLS.some((protocol) => protocol.name === name));
  if (unknown.length > 0) {
    const known = PROTOCOLS.map(({ name }) => name).join(', ');
    throw new UsageError(`--only: there is no protocol ${unknown.join(', ')}; there are ${known}`);
  }
  if (only.length > 0) return PROTOCOLS.filter(({ name }) => only.includes(name));
  return PROTOCOLS.filter(({ nightly }) => !short || nightly !== true);
}

async function tryOnce(protocol: Protocol, options: Options, cleanup: Cleanup): Promise<Try> {
  const begin = performance.now();
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  return withRig(cleanup, async (rig) => {
    const criteria = await protocol.run(rig, options);
    print(criteria.map(criterionLine).join(''));
    // Long delays of the client explain missed times.
    print(`  client delayed by ${time(delay.max / 1e6)} at most; load average ${loadavg()[0]?.toFixed(1)}\n`);
    return { seconds: (performance.now() - begin) / 1000, criteria };
  });
}

async function runProtocol(protocol: Protocol, options: Options, cleanup: Cleanup): Promise<Outcome> {
  const { name, title } = protocol;
  print(`\n${name}: ${title}\n`);
  const skipped = protocol.obstacle?.();
  if (skipped !== undefined) {
    print(`  skipped: ${skipped}\n`);
    return { name, tries: [], skipped };
  }
  const tries = [await tryOnce(protocol, options, cleanup)];
  if (options.again && isWorthAnotherTry(tries[0]!)) {
    print('  only times were missed: once more\n');
    tries.push(await tryOnce(protocol, options, cleanup));
  }
  return { name, tries };
}

await runCommand({
  call: 'npm run test:faults',
  about:
    'Breaks PostgreSQL, network, disk or process on purpose, each protocol with a PostgreSQL and a service of its ' +
    'own, and fails when the service misses a criterion of docs/reliability.md.',
  options: {
    only: list('PROTOCOL', 'these protocols alone; an unknown name lists all'),
    short: flag('shorter times and fewer protocols, for the gate'),
    again: flag('repeat a protocol that misses times only: a busy machine misses them'),
    json: text('FILE', 'write the results there as well'),
  },
  example: '--short --only crash',
  success: 'no criterion is missed',
  failure: 'one is, or nothing could be run',
  async run({ json, ...options }, cleanup) {
    const outcomes: Outcome[] = [];
    for (const protocol of chosen(options)) outcomes.push(await runProtocol(protocol, options, cleanup));
    print(outcomeTable(outcomes));
    const results = { node: process.version, cores: availableParallelism(), short: options.short, outcomes };
    if (json !== undefined) writeFileSync(json, `${JSON.stringify(results, null, 2)}\n`);
    const verdicts = outcomes.map(verdictOf);
    return verdicts.includes('PASS') && !verdicts.includes('MISS') ? 0 : 1;
  },
});
