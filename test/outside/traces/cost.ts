import { randomBytes } from 'node:crypto';
import { cpuOf } from '../../../bench/processes.js';
import { percentile } from '../../faults/support/figures.js';
import { Caller, jsonIn } from '../../faults/support/http.js';
import type { Owner } from '../../faults/support/accounts.js';
import type { Rig } from '../../faults/support/rig.js';
import type { Service } from '../../faults/support/service.js';
import { transactionRequest } from '../../support/factories.js';
import { NAME, traced } from './chain.js';
import type { Tools } from './tools.js';
import type { Zipkin } from './zipkin.js';

const ROUNDS = 7;
const REQUESTS = 1500;
const AT_ONCE = 8;

interface Case {
  readonly name: string;
  readonly service: Service;
  readonly headers: () => Record<string, string>;
}

/** What a request takes of the service's processor, in milliseconds, by the median of rounds taken in turn. */
export async function costs(rig: Rig, tools: Tools, zipkin: Zipkin): Promise<string> {
  const { url: databaseUrl } = await rig.cluster();
  const off = await rig.launch({ databaseUrl, name: 'off' }).ready();
  const on = await rig.launch({ databaseUrl, name: 'on', env: traced(tools, zipkin, NAME) }).ready();
  const owners = await rig.owners(off.url, AT_ONCE);
  const traceparent = (): string =>
    `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-01`;
  const cases: Case[] = [
    { name: 'without --import', service: off, headers: () => ({}) },
    {
      name: 'without --import, with a traceparent',
      service: off,
      headers: () => ({ traceparent: traceparent() }),
    },
    { name: 'with --import', service: on, headers: () => ({ traceparent: traceparent() }) },
  ];
  const taken = cases.map((): number[] => []);
  for (let round = 0; round <= ROUNDS; round++)
    for (const [index, each] of cases.entries()) {
      const milliseconds = await measure(each, owners);
      if (round > 0) taken[index]?.push(milliseconds); // the first warms up
    }
  const [first = NaN, ...others] = taken.map((values) => percentile(values, 50));
  const lines = [first, ...others].map(
    (value, index) =>
      `  ${cases[index]?.name ?? ''}: ${value.toFixed(2)} ms, ${(value / first).toFixed(2)} times (${spread(taken[index])})`,
  );
  return ['Processor time per request, by the median of the rounds:', ...lines, ''].join('\n');
}

function spread(values: readonly number[] = []): string {
  return `${Math.min(...values).toFixed(2)} to ${Math.max(...values).toFixed(2)}`;
}

/** A third of the requests write. */
async function measure({ service, headers }: Case, owners: readonly Owner[]): Promise<number> {
  const caller = new Caller(service.url);
  const before = cpuOf(service.pid) ?? NaN;
  let left = REQUESTS;
  const work = owners.map(async ({ token, propertyId }) => {
    const body = transactionRequest(propertyId);
    while (left-- > 0) {
      const call =
        left % 3 === 0
          ? { method: 'POST', path: '/api/transactions', body }
          : { method: 'GET', path: left % 3 === 1 ? `/api/properties/${propertyId}` : '/api/transactions' };
      jsonIn(await caller.send({ ...call, token, headers: headers() })); // fails when that did
    }
  });
  await Promise.all(work);
  caller.close();
  return (((cpuOf(service.pid) ?? NaN) - before) * 1000) / REQUESTS;
}
