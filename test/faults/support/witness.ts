import { once } from 'node:events';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import type { HttpRequest } from '../../support/client.js';
import { Caller, type Reply, steadily, succeeded, wordOf } from './http.js';
import type { Rig } from './rig.js';

/** Requests of each kind per second. */
const RATE = 20;
const LIVENESS = { method: 'GET', path: '/actuator/health/liveness' };
/** Refused for its fields, before its hash. */
const SIGN_IN = { method: 'POST', path: '/api/auth/signin', token: undefined, body: {} };

interface Asked {
  readonly url: string;
  readonly token: string;
  readonly requests: readonly HttpRequest[];
}

/** What an account that does nothing unusual has seen: times of its first request in milliseconds, and refusals of all. */
export interface Seen {
  readonly others: number[];
  readonly liveness: number[];
  readonly refused: string[];
}

/** Sends its requests, and asks for liveness, in a thread of its own, so that the work of attackers delays none of its clocks. */
export class Witness {
  private readonly worker: Worker;

  constructor(rig: Rig, asked: Asked) {
    this.worker = new Worker(import.meta.filename, { workerData: asked });
    rig.defer(async () => {
      await this.worker.terminate();
    });
  }

  /** All that it has seen since it was asked last. */
  async seen(): Promise<Seen> {
    this.worker.postMessage('tell');
    return ((await once(this.worker, 'message')) as [Seen])[0];
  }
}

if (!isMainThread && parentPort !== null) {
  const { url, token, requests } = workerData as Asked;
  const caller = new Caller(url);
  let replies: Reply[] = [];
  // A full service ends idle connections, which a client may just be about to use: it tries again (RFC 9112, section 9.3.1)
  const answered = async (request: HttpRequest): Promise<Reply> => {
    let reply: Reply;
    do reply = await caller.send({ token, ...request });
    while (reply.error === 'ECONNRESET' && reply.reusedSocket === true); // each ends one of those
    return reply;
  };
  for (const request of [LIVENESS, SIGN_IN, ...requests])
    steadily(RATE, async () => replies.push({ ...(await answered(request)), text: '' }));
  parentPort.on('message', () => {
    const times = ({ path }: HttpRequest): number[] =>
      replies.filter((reply) => reply.path === path).map(({ took }) => took);
    const [others, liveness] = [times(requests[0]!), times(LIVENESS)];
    const isRight = (reply: Reply): boolean =>
      reply.path === SIGN_IN.path ? reply.status === 400 : succeeded(reply);
    const refused = replies.filter((reply) => !isRight(reply)).map(wordOf);
    parentPort?.postMessage({ others, liveness, refused } satisfies Seen);
    replies = [];
  });
}
