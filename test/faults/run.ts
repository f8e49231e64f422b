import { writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Cleanup } from '../../bench/cleanup.js';
import { runCommand, UsageError } from '../../bench/command.js';
import { HELP, type Options, readOptions } from './options.js';
import type { Protocol } from './protocol.js';
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

function print(text: string): void {
  process.stdout.write(text);
}

function chooseProtocols({ only }: Options): readonly Protocol[] {
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

/** The exit status: 0 when every criterion is met. */
async function main(args: string[], cleanup: Cleanup): Promise<number> {
  const options = readOptions(args);
  if (options === undefined) {
    print(HELP);
    return 0;
  }
  const outcomes: Outcome[] = [];
  for (const protocol of chooseProtocols(options))
    outcomes.push(await tryProtocol(protocol, options, cleanup));
  print(outcomeTable(outcomes));
  const { short, json } = options;
  const results: Results = { node: process.version, cores: availableParallelism(), short, outcomes };
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(results, null, 2)}\n`);
  return outcomes.every(isMet) ? 0 : 1;
}

await runCommand('npm run test:faults', main);
