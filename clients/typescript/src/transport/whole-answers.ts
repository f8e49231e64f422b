import { NoResponseError } from '../errors.js';
import { isFile } from '../files.js';
import { responseWith } from './response-with.js';
import type { Send } from './send.js';

/** These may not have a body, not even an empty one. */
const WITHOUT_BODY = [101, 204, 205, 304];

/**
 * Resolves when all of an answer is there, so that one that breaks off is none; of a file, when it begins. Whatever else
 * happens within `timeout` milliseconds is a {@link NoResponseError}, but for the caller's own abort, which is thrown as it is.
 */
export function wholeAnswers(send: Send, timeout: number): Send {
  return async (request) => {
    request.signal.throwIfAborted();
    const deadline = new Deadline(request, timeout);
    const response = await deadline.during(async () => {
      const answer = await send(new Request(request, { signal: deadline.signal }));
      return isFile(answer) ? answer : whole(answer);
    });
    if (isFile(response) && response.body !== null)
      return responseWith(asItComes(response.body, deadline), response);
    deadline.end();
    return response;
  };
}

async function whole(response: Response): Promise<Response> {
  const text = await response.text();
  return responseWith(WITHOUT_BODY.includes(response.status) ? null : text, response);
}

/** The same bytes. Whoever reads them hears when they break off, or when the next do not come in time. */
function asItComes(body: ReadableStream<Uint8Array>, deadline: Deadline): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await deadline.during(() => reader.read());
      if (!done) controller.enqueue(value);
      else {
        deadline.end();
        controller.close();
      }
    },
    async cancel(reason) {
      deadline.end();
      await reader.cancel(reason);
    },
  });
}

/** How long a caller waits for what a request gives. */
class Deadline {
  readonly #own = new AbortController();
  readonly #abort = (): void => this.#own.abort(this.request.signal.reason);

  constructor(
    private readonly request: Request,
    private readonly timeout: number,
  ) {
    request.signal.addEventListener('abort', this.#abort);
  }

  get signal(): AbortSignal {
    return this.#own.signal;
  }

  /** What the work gives within the time. After a failure it has ended. */
  async during<Value>(work: () => Promise<Value>): Promise<Value> {
    const { timeout, request } = this;
    const late = (): void =>
      this.#own.abort(new DOMException(`nothing came within ${timeout} ms`, 'TimeoutError'));
    const timer = setTimeout(late, timeout);
    try {
      return await work();
    } catch (error) {
      this.end();
      request.signal.throwIfAborted();
      throw new NoResponseError(request, error);
    } finally {
      clearTimeout(timer);
    }
  }

  end(): void {
    this.request.signal.removeEventListener('abort', this.#abort);
  }
}
