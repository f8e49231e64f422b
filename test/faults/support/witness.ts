import { once } from 'node:events';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { Caller, type Reply, steadily, succeeded, wordOf } from './http.js';
import type { Rig } from './rig.js';

/** Requests of each path per second. */
const RATE = 20;
const LIVENESS = '/actuator/health/liveness';

interface Asked {
  readonly url: string;
  readonly token: string;
  readonly paths: readonly string[];
}

/** What an account that does nothing unusual has seen: times in milliseconds, and responses that are no success. */
export interface Seen {
  readonly others: number[];
  readonly liveness: number[];
  readonly refused: string[];
}

/** Asks for its paths and for liveness in a thread of its own, so that the work of attackers delays none of its clocks. */
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
  const { url, token, paths } = workerData as Asked;
  const caller = new Caller(url);
  let replies: Reply[] = [];
  for (const path of [LIVENESS, ...paths])
    steadily(RATE, async () => replies.push({ ...(await caller.get(path, token)), text: '' }));
  parentPort.on('message', () => {
    const of = (isLiveness: boolean): number[] =>
      replies.filter(({ path }) => (path === LIVENESS) === isLiveness).map(({ took }) => took);
    const refused = replies.filter((reply) => !succeeded(reply)).map(wordOf);
    parentPort?.postMessage({ others: of(false), liveness: of(true), refused } satisfies Seen);
    replies = [];
  });
}
