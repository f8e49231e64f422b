import { getHeapStatistics } from 'node:v8';
import type { FastifyRequest } from 'fastify';
import { testSettings } from '../../test/support/settings.js';
import { ClientMemory } from './client-memory.js';
import { giveBack } from './exchange.js';

const settings = testSettings('postgres://localhost/ledger', { CLIENT_MEMORY: '1MiB' });
const requestOf = (caller: object | null, headers: object) =>
  ({ caller, raw: { headers }, exchange: { kept: [] } }) as unknown as FastifyRequest;

let memory: ClientMemory;
beforeEach(() => void (memory = new ClientMemory(settings)));

it.each<[name: string, caller: object | null, headers: object, refusal: string | undefined]>([
  ['an account', { id: '1' }, {}, 'Your other requests'],
  ['anybody with a long body', null, { 'content-length': '16385' }, 'Too many large requests'],
  ['anybody with credentials that are still to come', null, { 'content-length': '16384' }, undefined],
  ['anybody without a body, such as a probe,', null, {}, undefined],
])('heads of %s are bounded by the heap, or hold nothing', (_, caller, headers, refusal) => {
  const holdMany = () => {
    for (let left = getHeapStatistics().heap_size_limit / 16_384; left > 0; left--)
      memory.holdHead(requestOf(caller, headers));
  };
  if (refusal === undefined) holdMany();
  else expect(holdMany).toThrow(refusal);
});

it('heads of an account are given back with their requests', () => {
  for (let left = getHeapStatistics().heap_size_limit / 16_384; left > 0; left--) {
    const request = requestOf({ id: '1' }, {});
    memory.holdHead(request);
    giveBack(request.exchange);
  }
});

it('whole credentials of anybody are bounded by the heap', async () => {
  const headers = { 'content-length': '16384' };
  const holdMany = async () => {
    for (let left = getHeapStatistics().heap_size_limit / 16_384; left > 0; left--)
      await memory.holdBody(requestOf(null, headers), 16_384, () => Promise.resolve(Buffer.alloc(0)));
  };
  await expect(holdMany()).rejects.toThrow('Too many large requests');
});
