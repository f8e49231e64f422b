import type { HeaderObject, ResponseObject } from '@nestjs/swagger';
import { API_DOCUMENT, escaped, faultsOf, operationOf, responseOf } from './api-document.js';
import type { HttpResponse } from './client.js';

type Response = Pick<HttpResponse, 'status' | 'headers' | 'text'>;

/** Headers of HTTP, CORS and tracing, which the API document leaves out. */
const BESIDE_THE_DOCUMENT =
  /^(date|connection|keep-alive|transfer-encoding|content-type|content-length|vary|traceresponse|access-control-.*)$/;

/** The reference page, and the redirect to it: test/docs.e2e-spec.ts. */
const DOCUMENTATION = /^\/(docs|favicon\.ico$|$)/;

const PROBLEM = 'application/problem+json';
const HEADERS = API_DOCUMENT.components?.headers as Readonly<Record<string, HeaderObject>>;
const SHARED = Object.entries(API_DOCUMENT.components?.responses as Readonly<Record<string, ResponseObject>>);
/** The headers of every response. */
const COMMON = SHARED.map(([, { headers = {} }]) => Object.keys(headers)).reduce((some, others) =>
  some.filter((name) => others.includes(name)),
);
const CHALLENGE = /^Bearer realm="property-finance"(, error="invalid_token")?$/;

/** Text from the inside: stacks, files, statements, the names of libraries, drivers and their codes. */
const INSIDE = [
  /\b(SELECT|INSERT|UPDATE|DELETE FROM|WHERE)\b|\b(FST|HPE|ERR|ECONN|E[A-Z]{4,})_?[A-Z]*\b|[a-z](Error|Exception)\b/,
  /node_modules|\.[cm]?[jt]s\b|\n\s+at |typeorm|fastify|nestjs|postgres|\bpg_|constraint|undefined|\[object/i,
];

/**
 * The faults of a response by the API document: its status, headers, media type, fields and values, and the texts of a
 * problem, which is the only response to an undocumented request.
 */
export function undocumented(method: string, target: string, response: Response): string[] {
  const { status } = response;
  if (method === 'OPTIONS' && status === 204) return headerFaults(response, COMMON); // a CORS preflight
  const operation = operationOf(method, target);
  if (operation === undefined && status < 400 && DOCUMENTATION.test(target)) return [];
  const found = operation === undefined ? sharedResponse(response) : responseOf(operation, status);
  if (found === undefined)
    return [`status ${status} of ${operation?.operation.operationId ?? 'no operation'}`];
  const { headers = {}, content = {} } = found.response;
  const faults = [
    ...headerFaults(response, Object.keys(headers)),
    ...(method === 'HEAD' ? [] : bodyFaults(response, Object.keys(content), `${found.pointer}/content`)),
  ];
  const isProblem = PROBLEM in content && method !== 'HEAD' && faults.length === 0;
  return isProblem ? problemFaults(response) : faults;
}

/** Throws the faults of a response by the API document. */
export function requireDocumented(method: string, target: string, response: Response): void {
  const faults = undocumented(method, target, response);
  if (faults.length === 0) return;
  const { status, text } = response;
  const about = `Not in the API document: the response to ${method} ${target} (${status})`;
  throw new Error([about, ...faults, text.slice(0, 400)].join('\n'));
}

/** The documented response with this problem, or with this status to a HEAD. */
function sharedResponse({ status, text }: Response): ReturnType<typeof responseOf> {
  const [name, response] =
    SHARED.find(([, { content = {} }]) =>
      Object.entries(content[PROBLEM]?.examples ?? {}).some(
        ([slug, example]) =>
          (example as { value: { status: number } }).value.status === status &&
          (text === '' || text.includes(`:problem:${slug}"`)),
      ),
    ) ?? [];
  return response && { pointer: `/components/responses/${name}`, response };
}

function headerFaults({ headers, status }: Response, documented: readonly string[]): string[] {
  const names = documented.map((name) => name.toLowerCase());
  const others = [...headers.keys()].filter(
    (name) => !names.includes(name) && !BESIDE_THE_DOCUMENT.test(name),
  );
  return [
    ...others.map((name) => `header ${name} of a ${status}`),
    ...documented.flatMap((name) => {
      const value = headers.get(name);
      if (value === null) return HEADERS[name]!.required ? [`no header ${name} in a ${status}`] : [];
      const typed = name === 'Retry-After' ? Number(value) : value;
      return faultsOf(`/components/headers/${name}/schema`, typed).map((fault) => `header ${name}: ${fault}`);
    }),
  ];
}

function bodyFaults({ headers, text }: Response, mediaTypes: readonly string[], pointer: string): string[] {
  if (text === '' && mediaTypes.length === 0) return [];
  const sent = headers.get('content-type') ?? 'none';
  const mediaType = mediaTypes.find((it) => it === sent || `${it}; charset=utf-8` === sent);
  if (mediaType === undefined) return [`media type ${sent}`];
  if (!/[/+]json$/.test(mediaType)) return [];
  try {
    return faultsOf(`${pointer}/${escaped(mediaType)}/schema`, JSON.parse(text));
  } catch (error) {
    return [String(error)];
  }
}

/** The faults of a problem beyond those of its schema. */
function problemFaults({ status, headers, text }: Response): string[] {
  const problem = JSON.parse(text) as Readonly<Record<string, string>>;
  const { type = '', detail = '', timestamp = '', instance = '', correlationId, errors } = problem;
  const told = JSON.stringify({ ...problem, instance: '', errors: '', findings: '' });
  const count = Object.keys(errors ?? {}).length;
  const checks: Readonly<Record<string, boolean>> = {
    detail: /^[A-Z].{5,300}\.$/s.test(detail),
    timestamp: Math.abs(Date.now() - Date.parse(timestamp)) < 60_000,
    'instance, the path without the query': /^[^?#]+$/.test(instance),
    correlationId: (correlationId !== undefined) === status >= 500,
    errors:
      (errors !== undefined) === type.endsWith(':validation-failed') &&
      count <= 50 &&
      !(errors && count === 0),
    'content-length': headers.get('content-length') === String(Buffer.byteLength(text)),
    'www-authenticate': status !== 401 || CHALLENGE.test(headers.get('www-authenticate') ?? ''),
    'the inside': !INSIDE.some((pattern) => pattern.test(told)),
  };
  return Object.keys(checks).filter((name) => checks[name] === false);
}
