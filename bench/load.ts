import autocannon from 'autocannon';

export interface LoadRequest {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body?: string;
}

/** The results of a pass. */
export interface Pass {
  readonly seconds: number;
  /** Of every response, in ms. */
  readonly latencies: readonly number[];
  /** Status → number of responses; 0 stands for broken connections. */
  readonly statuses: ReadonlyMap<number, number>;
}

/** How often autocannon looks whether it is done, in ms. */
const CHECK_INTERVAL = 20;
const TIMEOUT_SECONDS = 120;
/** A server that breaks so many connections is gone; waiting for the rest would take for ever. */
const TOO_MANY_ERRORS = 100;

/** A closed loop of so many requests: each connection sends its next one when the last has its response. */
export async function drive(
  url: string,
  requests: readonly LoadRequest[],
  connections: number,
  amount: number,
): Promise<Pass> {
  const latencies: number[] = [];
  const statuses = new Map<number, number>();
  const count = (status: number): unknown => statuses.set(status, (statuses.get(status) ?? 0) + 1);
  let begin = 0;
  let end = 0;
  let opened = 0;
  await new Promise<void>((resolve, reject) => {
    const options: autocannon.Options = {
      url,
      connections,
      sampleInt: CHECK_INTERVAL,
      timeout: TIMEOUT_SECONDS,
      bailout: TOO_MANY_ERRORS,
      amount,
      setupClient: (client) => client.setRequests(shareOf(requests, opened++, connections)),
    };
    const instance = autocannon(options, (error: Error | null) => (error ? reject(error) : resolve()));
    instance.on('response', (_client, status, _bytes, latency) => {
      end = performance.now();
      count(status);
      latencies.push(latency);
    });
    instance.on('reqError', () => count(0));
    begin = performance.now(); // the connections are only being opened
  });
  return { seconds: (end - begin) / 1000, latencies, statuses };
}

/**
 * A connection's own part, so that no two connections ask for the same row at once; or, of a few requests, all,
 * each connection beginning with another one.
 */
function shareOf(requests: readonly LoadRequest[], index: number, connections: number): autocannon.Request[] {
  const start = index % requests.length;
  const share =
    requests.length < connections
      ? [...requests.slice(start), ...requests.slice(0, start)]
      : requests.filter((_, position) => position % connections === index);
  return share.map((request) => ({ ...request })); // autocannon keeps its own things in them
}

/** Responses other than 2xx, and broken connections. */
export function failuresOf({ statuses }: Pass): number {
  return [...statuses].reduce((sum, [status, count]) => sum + (status >= 200 && status < 300 ? 0 : count), 0);
}
