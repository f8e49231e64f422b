import { transactionRequest } from '../../support/factories.js';
import type { Criterion, Protocol } from '../protocol.js';
import { alwaysUp, criterion, residentIsAtMost, serviceIsWell } from '../support/criteria.js';
import { tally, time } from '../support/figures.js';
import { Caller } from '../support/http.js';
import type { Ledger } from '../support/ledger.js';
import type { Owner } from '../support/accounts.js';
import { settle } from '../support/rig.js';

const AT_ONCE = 100;
const SIZE = 1024 * 1024;
const MEMORY = 512;

/** A body of nearly the largest size, and the status that it is due. */
interface Shape {
  readonly name: string;
  readonly status: number;
  /** The further members of a valid request. */
  readonly members: (room: number) => string;
}

const SHAPES: readonly Shape[] = [
  { name: 'too deep', status: 400, members: (room) => `"x":${'['.repeat(room / 2)}${']'.repeat(room / 2)}` },
  {
    name: 'deep',
    status: 200,
    members: (room) => `"x":[${filled(`${'['.repeat(60)}${']'.repeat(60)}`, room)}]`,
  },
  {
    name: 'many members',
    status: 200,
    members: (room) => numbered((index) => `"member-${index}":true`, room),
  },
  { name: 'many tiny objects', status: 200, members: (room) => `"x":[${filled('{}', room)}]` },
  { name: 'many numbers', status: 200, members: (room) => `"x":[${filled('1', room)}]` },
  { name: 'one long string', status: 400, members: (room) => `"notes":"${'n'.repeat(room)}"` },
  {
    name: 'long escapes',
    status: 400,
    members: (room) => `"notes":"${String.raw`\u00e9`.repeat(room / 6)}"`,
  },
  {
    name: 'long metadata',
    status: 200,
    members: (room) => `"metadata":{"€":"${'n'.repeat(room - 20)}"}`,
  },
  { name: 'many tags', status: 400, members: (room) => `"tags":[${filled('""', room)}]` },
];

export const LARGE_BODIES: Protocol = {
  name: 'large-bodies',
  title: `bodies of 1 MiB in ${SHAPES.length} shapes, ${AT_ONCE} at once`,
  async run(rig, { short }) {
    const scene = await rig.scene();
    const { service, owners, ledger, probes } = scene;
    probes.start();
    const criteria: Criterion[] = [];
    for (const shape of SHAPES) {
      const atOnce = short ? AT_ONCE / 4 : AT_ONCE;
      criteria.push(await sendAll(service.url, shape, owners, ledger, atOnce));
      criteria.push(residentIsAtMost(MEMORY, service.pid, ` so far, with ${shape.name}`));
    }
    return [
      ...(await settle(scene)),
      ...criteria,
      alwaysUp('liveness', probes.liveness),
      ...serviceIsWell(service),
    ];
  },
};

async function sendAll(
  url: string,
  { name, status, members }: Shape,
  owners: readonly Owner[],
  ledger: Ledger,
  atOnce: number,
): Promise<Criterion> {
  const caller = new Caller(url);
  const requests = Array.from({ length: atOnce }, async (_, index) => {
    const { token, propertyId } = owners[index % owners.length]!;
    const { reply } = await ledger.create((bookingReference) => {
      const body = padded(transactionRequest(propertyId, { bookingReference }), members);
      return caller.send({ method: 'POST', path: '/api/transactions', token, body });
    });
    return reply.error ?? String(reply.status);
  });
  const begin = performance.now();
  const statuses = await Promise.all(requests);
  caller.close();
  const right = statuses.every((found) => [String(status), '429', '503'].includes(found));
  return criterion(
    `${name}: all answered, ${status}, 429 or 503`,
    right,
    `${tally(statuses)} in ${time(performance.now() - begin)}`,
  );
}

function padded(request: object, members: Shape['members']): string {
  const start = JSON.stringify(request).slice(0, -1);
  return `${start},${members(SIZE - start.length - 100)}}`;
}

/** The element over and over. */
function filled(element: string, room: number): string {
  const number = Math.floor(room / (element.length + 1));
  return `${`${element},`.repeat(number - 1)}${element}`;
}

function numbered(member: (index: number) => string, room: number): string {
  const members: string[] = [];
  for (let length = 0, index = 0; ; index++) {
    const next = member(index);
    length += next.length + 1;
    if (length > room) return members.join(',');
    members.push(next);
  }
}
