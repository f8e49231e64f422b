import type { HeaderObject } from '@nestjs/swagger';
import { API_DOCUMENT, escaped, faultsOf, operationOf, responseOf } from './api-document.js';

export interface Exchange {
  readonly method: string;
  readonly target: string;
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Headers of HTTP, CORS and tracing, which the API document leaves out. */
const BESIDE_THE_DOCUMENT =
  /^(date|connection|keep-alive|transfer-encoding|content-type|content-length|vary|traceresponse|access-control-.*)$/;

/** The reference page: test/docs.e2e-spec.ts. */
const DOCUMENTATION = /^\/(docs|favicon\.ico$)/;

/**
 * The parts of a response that the API document does not have: a status, a header, a media type, a field, a value. The
 * response to a request that is not in the document has to be a problem.
 */
export function undocumented(exchange: Exchange): string[] {
  const { method, target, status } = exchange;
  if (method === 'OPTIONS' && status === 204) return []; // a CORS preflight
  const operation = operationOf(method, target);
  if (operation === undefined && status < 400 && DOCUMENTATION.test(target)) return [];
  if (operation === undefined) return problemFaults(exchange);
  const found = responseOf(operation, status);
  if (found === undefined) return [`status ${status} of ${operation.operation.operationId ?? ''}`];
  const { pointer, response } = found;
  const headers = Object.keys(response.headers ?? {}).map((name) => name.toLowerCase());
  return [
    ...headerFaults(exchange, headers),
    ...bodyFaults(exchange, Object.keys(response.content ?? {}), `${pointer}/content`),
  ];
}

/** Throws when a response does not match the API document. */
export function requireDocumented(exchange: Exchange): void {
  const faults = undocumented(exchange);
  if (faults.length === 0) return;
  const { method, target, status } = exchange;
  throw new Error(
    `The API document does not have this response to ${method} ${target} (${status}):\n${faults.join('\n')}`,
  );
}

function problemFaults(exchange: Exchange): string[] {
  const faults = faultsOfJson(exchange, '/components/schemas/Problem');
  return exchange.headers.get('content-type') === 'application/problem+json' || exchange.method === 'HEAD'
    ? faults
    : [...faults, 'no problem document'];
}

function headerFaults({ headers, status }: Exchange, documented: readonly string[]): string[] {
  const present = [...headers.keys()].filter((name) => !BESIDE_THE_DOCUMENT.test(name));
  return [
    ...present.filter((name) => !documented.includes(name)).map((name) => `header ${name} of a ${status}`),
    ...documented
      .filter((name) => !headers.has(name) && isRequired(name))
      .map((name) => `no header ${name} in a ${status}`),
    ...present.flatMap((name) => valueFaults(name, headers.get(name) ?? '')),
  ];
}

const HEADERS = API_DOCUMENT.components?.headers as Readonly<Record<string, HeaderObject>>;

function isRequired(name: string): boolean {
  return Object.entries(HEADERS).some(([known, { required }]) => known.toLowerCase() === name && required);
}

function valueFaults(name: string, value: string): string[] {
  const known = Object.keys(HEADERS).find((it) => it.toLowerCase() === name);
  if (known === undefined) return [];
  const typed = /^\d+$/.test(value) && name === 'retry-after' ? Number(value) : value;
  return faultsOf(`/components/headers/${known}/schema`, typed).map((fault) => `header ${name}: ${fault}`);
}

function bodyFaults(exchange: Exchange, mediaTypes: readonly string[], pointer: string): string[] {
  const { headers, text, method } = exchange;
  if (text === '' && (mediaTypes.length === 0 || method === 'HEAD')) return [];
  const sent = headers.get('content-type') ?? 'none';
  const mediaType = mediaTypes.find((it) => it === sent || `${it}; charset=utf-8` === sent);
  if (mediaType === undefined) return [`media type ${sent}`];
  return /[/+]json$/.test(mediaType) ? faultsOfJson(exchange, `${pointer}/${escaped(mediaType)}/schema`) : [];
}

function faultsOfJson({ text, method }: Exchange, pointer: string): string[] {
  if (method === 'HEAD') return [];
  try {
    return faultsOf(pointer, JSON.parse(text));
  } catch (error) {
    return [String(error)];
  }
}
