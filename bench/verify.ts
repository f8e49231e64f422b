import { isDeepStrictEqual } from 'node:util';
import type { Case } from './cases.js';
import type { LoadRequest } from './load.js';
import type { World } from './world.js';

/** The two servers do not do the same work, so their times cannot be compared. */
export class DifferentAnswers extends Error {}

const SAMPLE = 5;

/** Sends some of the requests to both and throws {@link DifferentAnswers} unless they answer the same, as they should. */
export async function verifyCase(
  benchmark: Case,
  world: World,
  requests: readonly LoadRequest[],
  urls: readonly [service: string, reference: string],
): Promise<void> {
  const step = Math.max(1, Math.floor(requests.length / SAMPLE));
  for (const request of requests.filter((_, index) => index % step === 0).slice(0, SAMPLE)) {
    const service = await answerTo(request, urls[0], benchmark.unlike ?? []);
    const reference = await answerTo(request, urls[1], benchmark.unlike ?? []);
    const total = benchmark.total?.(world);
    const problem =
      service.status !== 200
        ? `The service answers ${service.status}`
        : total !== undefined && service.body['totalElements'] !== total
          ? `The service does not find ${total} rows`
          : isDeepStrictEqual(service, reference)
            ? undefined
            : 'The service and the reference differ';
    if (problem !== undefined) {
      const answers = [service, reference].map((answer) => JSON.stringify(answer).slice(0, 1000));
      throw new DifferentAnswers(
        `${problem} to ${request.method} ${request.path}:\n  service   ${answers[0]}\n  reference ${answers[1]}`,
      );
    }
  }
}

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/** Without the fields that cannot be alike. */
async function answerTo(
  { method, path, headers, body }: LoadRequest,
  url: string,
  unlike: readonly string[],
): Promise<Answer> {
  const response = await fetch(url + path, { method, headers, body: body ?? null });
  const json = (await response.json()) as Record<string, unknown>;
  const alike = Object.entries(json).filter(([field]) => !unlike.includes(field));
  return { status: response.status, body: Object.fromEntries(alike) };
}
