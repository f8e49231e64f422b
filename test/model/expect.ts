import assert from 'node:assert/strict';
import { parse } from 'lossless-json';
import { outcomeOf } from '../support/responses.js';
import type { HttpResponse } from '../support/client.js';

/** Whether the request is refused for one of the reasons that hold, as `404 not-found`. Throws for another response. */
export function isRefused(
  response: HttpResponse,
  reasons: Readonly<Record<string, boolean>>,
  success = '200',
): boolean {
  const refusals = Object.keys(reasons).filter((reason) => reasons[reason] === true);
  const allowed = refusals.length === 0 ? [success] : refusals;
  const outcome = outcomeOf(response);
  assert(allowed.includes(outcome), `${outcome} instead of ${allowed.join(' or ')}: ${response.text}`);
  return refusals.length > 0;
}

/** Throws unless the body is this JSON, number for number and digit for digit. */
export function requireBody(response: HttpResponse, json: string): void {
  assert.match(response.headers.get('content-type') ?? '', /^application\/json\b/);
  assert.deepEqual(parse(response.text), parse(json));
}

/** Throws unless these headers have these values; null for an absent one. */
export function requireHeaders(
  { headers }: HttpResponse,
  expected: Readonly<Record<string, string | null>>,
): void {
  for (const [name, value] of Object.entries(expected)) assert.equal(headers.get(name), value, name);
}
