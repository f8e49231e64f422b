import { NoResponseError } from '../errors.js';
import { isFile } from '../files.js';
import { responseWith } from './response-with.js';
import type { Send } from './send.js';

/** Statuses that may not have a body, not even an empty one. */
const WITHOUT_BODY = [101, 204, 205, 304];

/**
 * Resolves when the whole response has arrived, or the first part of a file. Any failure within `timeout` milliseconds
 * is a {@link NoResponseError}, except the caller's own abort, which is thrown as it is.
 */
export function wholeResponses(send: Send, timeout: number): Send {
  return async (request) => {
    request.signal.throwIfAborted();
    const deadline = new Deadline(request, timeout);
    const response = await deadline.during(async () => {
      const received = await send(deadline.request);
      return isFile(received) ? received : whole(received);
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

/** The same bytes. Reading them rejects when they break off, or when the next do not come in time. */
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

/** The time that a caller waits for each part of a response. */
class Deadline {
  /** The caller's request, which this deadline can abort. Held here, because its signal does not hold it. */
  readonly request: Request;
  readonly #own = new AbortController();
  readonly #abort = (): void => this.#own.abort(this.original.signal.reason);

  constructor(
    private readonly original: Request,
    private readonly timeout: number,
  ) {
    this.request = new Request(original, { signal: this.#own.signal });
    original.signal.addEventListener('abort', this.#abort);
  }

  /** The result of the work within the time. A failure ends the deadline. */
  async during<Value>(work: () => Promise<Value>): Promise<Value> {
    const { timeout, original } = this;
    const late = (): void =>
      this.#own.abort(new DOMException(`nothing came within ${timeout} ms`, 'TimeoutError'));
    const timer = setTimeout(late, timeout);
    try {
      return await work();
    } catch (error) {
      this.end();
      original.signal.throwIfAborted();
      throw new NoResponseError(original, error);
    } finally {
      clearTimeout(timer);
    }
  }

  end(): void {
    this.original.signal.removeEventListener('abort', this.#abort);
  }
}
