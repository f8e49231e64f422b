import { isDeepStrictEqual } from 'node:util';
import type { Case } from './cases.js';
import type { LoadRequest } from './load.js';
import type { World } from './world.js';

const SAMPLE = 5;

/** Sends some of the requests to both servers, and throws unless the responses are the same, and as expected. */
export async function verifyCase(
  { unlike = [], total }: Case,
  world: World,
  requests: readonly LoadRequest[],
  urls: readonly [service: string, reference: string],
): Promise<void> {
  const step = Math.max(1, Math.floor(requests.length / SAMPLE));
  for (const request of requests.filter((_, index) => index % step === 0).slice(0, SAMPLE)) {
    const [service, reference] = [await send(request, urls[0], unlike), await send(request, urls[1], unlike)];
    const wanted = total?.(world) ?? service['totalElements'];
    if (isDeepStrictEqual(service, reference) && service['totalElements'] === wanted) continue;
    const bodies = [service, reference].map((body) => JSON.stringify(body).slice(0, 1000)).join('\n');
    throw new Error(
      `Other responses than expected (${String(wanted)} rows) to ${request.method} ${request.path}:\n${bodies}`,
    );
  }
}

/** The body of a 200, without the fields that cannot be alike. */
async function send(
  { method, path, headers, body }: LoadRequest,
  url: string,
  unlike: readonly string[],
): Promise<Record<string, unknown>> {
  const response = await fetch(url + path, { method, headers, body: body ?? null });
  const json = (await response.json()) as Record<string, unknown>;
  if (response.status !== 200) throw new Error(`${method} ${url}${path}: ${JSON.stringify(json)}`);
  return Object.fromEntries(Object.entries(json).filter(([field]) => !unlike.includes(field)));
}
