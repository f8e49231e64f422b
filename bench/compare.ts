import { type Case, CASES } from './cases.js';
import { print, progress } from './command.js';
import { bareHashing, type Contender, contenderOf } from './contenders.js';
import { type Comparison, type Effort, Measurement } from './measure.js';
import { comparisonLine } from './report.js';
import type { Server } from './servers.js';
import { verifyCase } from './verify.js';
import type { World } from './world.js';

/** What most requests have in common is in these, and none of them is dear. */
const WARM_UP = ['own-account', 'property-by-id', 'transaction-by-id', 'list-medium', 'search-medium'];

export interface Opponents {
  readonly service: Server;
  readonly reference: Server;
  readonly postmaster: number | undefined;
}

/** Runs the cases, each after a look whether the two answer alike, and prints what comes out as it comes. */
export async function compareCases(
  cases: readonly Case[],
  { service, reference, postmaster }: Opponents,
  world: World,
  effort: Effort & { readonly connections: readonly number[] },
): Promise<Comparison[]> {
  const against = (other: Contender) => new Measurement(contenderOf(service), other, effort, postmaster);
  const withReference = against(contenderOf(reference));
  const withHashing = against(bareHashing());
  progress('warming up');
  const common = CASES.filter(({ key }) => WARM_UP.includes(key));
  await withReference.warmUp(common.flatMap((benchmark) => benchmark.requests(world).slice(0, 64)));
  const comparisons: Comparison[] = [];
  for (const benchmark of cases) {
    const requests = benchmark.requests(world);
    progress(`${benchmark.key}: the same answers?`);
    await verifyCase(benchmark, world, requests, [service.url, reference.url]);
    const measurement = benchmark.hashing === true ? withHashing : withReference;
    const found = await measurement.compare(benchmark, requests, effort.connections);
    print(found.map(comparisonLine).join(''));
    comparisons.push(...found);
  }
  return comparisons;
}
