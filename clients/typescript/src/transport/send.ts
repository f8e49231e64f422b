/** Sends one request and waits for its response: `fetch`, or a wrapper of it. */
export type Send = (request: Request) => Promise<Response>;
