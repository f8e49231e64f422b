import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

/** Ends a request with a status and a short document. */
export class HttpError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly errors?: Readonly<Record<string, string>>,
  ) {
    super(message);
  }
}

export interface Request {
  readonly raw: IncomingMessage;
  readonly query: URLSearchParams;
  /** What the route's pattern has captured. */
  readonly param: string;
}

export interface Route {
  readonly method: string;
  /** The whole path; at most one group. */
  readonly path: RegExp;
  readonly handle: (request: Request) => Promise<unknown>;
}

const MAX_BODY = 1024 * 1024;

export function createHttpServer(routes: readonly Route[]): Server {
  return createServer((raw, response) => {
    answer(routes, raw).then(
      (body) => send(response, 200, body),
      (error: unknown) => sendError(response, error),
    );
  });
}

async function answer(routes: readonly Route[], raw: IncomingMessage): Promise<unknown> {
  const [path = '/', query = ''] = (raw.url ?? '/').split('?', 2);
  for (const route of routes) {
    if (route.method !== raw.method) continue;
    const match = route.path.exec(path);
    if (match !== null)
      return route.handle({ raw, query: new URLSearchParams(query), param: match[1] ?? '' });
  }
  throw new HttpError(404, 'There is no such resource.');
}

/** The JSON object of the body. */
export async function readBody(raw: IncomingMessage): Promise<Record<string, unknown>> {
  if (raw.headers['content-type']?.startsWith('application/json') !== true)
    throw new HttpError(415, 'The body must be application/json.');
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of raw as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_BODY) throw new HttpError(413, 'The body is too large.');
    chunks.push(chunk);
  }
  const value = parse(Buffer.concat(chunks).toString());
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new HttpError(400, 'The body must be a JSON object.');
  return value as Record<string, unknown>;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new HttpError(400, 'The body is not valid JSON.');
  }
}

function send(
  response: ServerResponse,
  status: number,
  body: unknown,
  contentType = 'application/json',
): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': contentType,
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
  });
  response.end(text);
}

function sendError(response: ServerResponse, error: unknown): void {
  const { status, message, errors } =
    error instanceof HttpError ? error : new HttpError(500, 'An unexpected failure.');
  if (status === 500) process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
  send(response, status, { title: message, status, errors }, 'application/problem+json');
}
