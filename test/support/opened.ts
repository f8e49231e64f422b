import { Cleanup } from '../../bench/cleanup.js';

/** What a test has opened and not closed, because it failed or has no reason to, is closed behind it. */
export const cleanup = new Cleanup();

/** Notes something that has to be closed: a service, a lock, a connection. Returns its `close`, to be called once or often. */
export function opened(close: () => Promise<void> | void): () => Promise<void> {
  return cleanup.defer(close);
}
