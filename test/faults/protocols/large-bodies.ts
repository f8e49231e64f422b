import { transactionRequest } from '../../support/factories.js';
import { criterion } from '../support/criteria.js';
import { tally, time } from '../support/figures.js';
import { withCaller, wordOf } from '../support/http.js';
import { crowd } from './crowd.js';

const AT_ONCE = 100;
const SIZE = 1024 * 1024;
/** Bytes for the usual fields. */
const ROOM = 4096;
const filled = (element: string, room: number): string =>
  `${element},`.repeat(room / (element.length + 1)).slice(0, -1);
const members = (length: number): string =>
  Array.from({ length }, (_, index) => `"member-${index}":true`).join();

/** Further members of a valid request that fill so much room, and the status. */
const SHAPES: Readonly<Record<string, readonly [status: number, fill: (room: number) => string]>> = {
  'too deep': [400, (room) => `"x":${'['.repeat(room / 2)}${']'.repeat(room / 2)}`],
  deep: [200, (room) => `"x":[${filled(`${'['.repeat(60)}${']'.repeat(60)}`, room)}]`],
  'many members': [200, (room) => members(room / 20)],
  'many tiny objects': [200, (room) => `"x":[${filled('{}', room)}]`],
  'many numbers': [200, (room) => `"x":[${filled('1', room)}]`],
  'one long string': [400, (room) => `"notes":"${'n'.repeat(room)}"`],
  'long escapes': [400, (room) => `"notes":"${String.raw`\u00e9`.repeat(room / 6)}"`],
  'long metadata': [200, (room) => `"metadata":{"€":"${'n'.repeat(room - 20)}"}`],
  'many tags': [400, (room) => `"tags":[${filled('""', room)}]`],
};

export const LARGE_BODIES = crowd({
  name: 'large-bodies',
  title: `bodies of 1 MiB in ${Object.keys(SHAPES).length} shapes, ${AT_ONCE} at once`,
  nightly: true,
  resident: 512,
  press: ({ service, owners }) =>
    withCaller(service.url, async (caller) => {
      const criteria = [];
      for (const [name, [status, fill]] of Object.entries(SHAPES)) {
        const filling = fill(SIZE - ROOM); // once, or the probes would wait for this process
        const begin = performance.now();
        const send = async (index: number): Promise<string> => {
          const { token, propertyId } = owners[index % owners.length]!;
          const start = JSON.stringify(transactionRequest(propertyId)).slice(0, -1);
          const body = Buffer.from(`${start},${filling}}`);
          return wordOf(await caller.send({ method: 'POST', path: '/api/transactions', token, body }));
        };
        const words = await Promise.all(Array.from({ length: AT_ONCE }, (_, index) => send(index)));
        const isRight = words.every((word) => [String(status), '429', '503'].includes(word));
        const measured = `${tally(words)} in ${time(performance.now() - begin)}`;
        criteria.push(criterion(`${name}: all answered, ${status}, 429 or 503`, isRight, measured));
      }
      return criteria;
    }),
});
