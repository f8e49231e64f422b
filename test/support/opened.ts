import { Cleanup } from '../../bench/cleanup.js';

/** Closes everything that a test leaves open. */
export const cleanup = new Cleanup();

/** Registers the end of a service, a lock or a connection. Returns it, for calls before that; it runs once. */
export function opened(close: () => Promise<void> | void): () => Promise<void> {
  return cleanup.defer(close);
}
