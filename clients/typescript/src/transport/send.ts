/** Sends one request and waits for its answer: `fetch`, or something around it. */
export type Send = (request: Request) => Promise<Response>;
