/** Sends one request and waits for its response: `fetch`, or a wrapper of it. */
export type Send = (request: Request) => Promise<Response>;

/**
 * A request to send while the original is kept for another try. Node's `clone()` loses the signal at the next garbage
 * collection: its controller is held by nobody. One that the constructor makes is held by its request.
 */
export const copyOf = (request: Request): Request => new Request(request.clone(), { signal: request.signal });
