import { NoAnswerError } from '../errors.js';
import { responseWith } from './response-with.js';
import type { Send } from './send.js';

/** These may not have a body, not even an empty one. */
const WITHOUT_BODY = [101, 204, 205, 304];

/**
 * Resolves when all of an answer is there, so that one that breaks off is none. Whatever else happens within `timeout`
 * milliseconds is a {@link NoAnswerError}, but for the caller's own abort, which is thrown as it is.
 */
export function wholeAnswers(send: Send, timeout: number): Send {
  return async (request) => {
    const { signal } = request;
    signal.throwIfAborted();
    const own = new AbortController();
    const abort = (): void => own.abort(signal.reason);
    const late = (): void => own.abort(new DOMException(`no answer within ${timeout} ms`, 'TimeoutError'));
    const timer = setTimeout(late, timeout);
    signal.addEventListener('abort', abort);
    try {
      return await whole(await send(new Request(request, { signal: own.signal })));
    } catch (error) {
      signal.throwIfAborted();
      throw new NoAnswerError(request, error);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    }
  };
}

async function whole(response: Response): Promise<Response> {
  const text = await response.text();
  return responseWith(WITHOUT_BODY.includes(response.status) ? null : text, response);
}
