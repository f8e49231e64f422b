import { NoResponseError, ProblemError } from '../errors.js';
import { slugOf } from '../problem.js';
import { copyOf, type Send } from './send.js';
import { wait } from './wait.js';

export interface RetryOptions {
  /** How often a request is sent at most. */
  readonly tries: number;
  /** Milliseconds before the second try; each further pause may be twice as long. */
  readonly pause: number;
  /** The longest pause. A Retry-After beyond it ends the tries. */
  readonly longestPause: number;
}

/** Idempotent methods. A POST is repeatable only with an idempotency key. */
const REPEATABLE = new Set(['GET', 'HEAD', 'PUT', 'DELETE']);

const isRepeatable = ({ method, headers }: Request): boolean =>
  REPEATABLE.has(method) || headers.has('idempotency-key');

/** A second PUT without If-Match may undo a write of another client since the first. */
const overwrites = ({ method, headers }: Request): boolean => method === 'PUT' && !headers.has('if-match');

/** Passing failures of the service (408, 429, 503) or of a proxy before it (429, 502, 503, 504). */
const PASSING = new Set([408, 429, 502, 503, 504]);

/** Repeats repeatable requests after passing failures. */
export function withRetries(send: Send, options: RetryOptions): Send {
  return async (request) => {
    const tries = isRepeatable(request) ? options.tries : 1;
    let mayBeDone = false;
    for (let count = 1; ; count += 1) {
      const outcome = await outcomeOf(send(copyOf(request)));
      const pause = count < tries ? pauseAfter(outcome, count, options) : undefined;
      const open = mayHaveDone(request, outcome);
      if (pause === undefined || (open && overwrites(request))) return conclude(request, outcome, mayBeDone);
      mayBeDone ||= open;
      await wait(pause, request.signal);
    }
  };
}

type Outcome = Response | NoResponseError | ProblemError;

/** A ProblemError comes from the sign-in that this request needed. */
async function outcomeOf(response: Promise<Response>): Promise<Outcome> {
  try {
    return await response;
  } catch (error) {
    if (error instanceof NoResponseError || error instanceof ProblemError) return error;
    throw error;
  }
}

/** Half of it is random, so that many clients do not return at the same instant. */
function pauseAfter(outcome: Outcome, count: number, options: RetryOptions): number | undefined {
  const response = outcome instanceof ProblemError ? outcome.response : outcome;
  const pause = Math.min(options.longestPause, options.pause * 2 ** (count - 1)) * (0.5 + Math.random() / 2);
  if (response instanceof NoResponseError) return pause;
  if (!PASSING.has(response.status)) return undefined;
  const requested = retryAfter(response.headers.get('retry-after'));
  return requested > options.longestPause ? undefined : Math.max(pause, requested);
}

/** Seconds or a date, in milliseconds from now. */
function retryAfter(header: string | null): number {
  if (header === null) return 0;
  const milliseconds = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(milliseconds) ? 0 : Math.max(0, milliseconds);
}

/** Whether the service may have done it. With 408 it has not read the request, with 429 it has not admitted it. */
function mayHaveDone(request: Request, outcome: Outcome): boolean {
  if (outcome instanceof NoResponseError) return outcome.url === request.url;
  return outcome instanceof Response && outcome.status !== 408 && outcome.status !== 429;
}

/** After a lost response, two refusals may mean that the first try succeeded; see the README. */
async function conclude(request: Request, outcome: Outcome, mayBeDone: boolean): Promise<Response> {
  if (outcome instanceof Error) throw outcome;
  const slug = mayBeDone ? await slugOf(outcome) : undefined;
  if (request.method === 'DELETE' && slug === 'not-found')
    return new Response(null, { status: 200, headers: { 'content-length': '0' } });
  if (request.method === 'PUT' && slug === 'concurrent-modification')
    throw new NoResponseError(
      request,
      new Error('its repetition met 409, which may come from the first try'),
    );
  return outcome;
}
