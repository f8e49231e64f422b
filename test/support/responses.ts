import type { Client, HttpResponse } from './client.js';
import { until } from './until.js';

/** The members of a problem document that tests read. */
export interface Problem {
  readonly detail: string;
  readonly instance: string;
  readonly errors?: Readonly<Record<string, string>>;
}

export interface Page<Element = Record<string, unknown>> {
  readonly content: readonly Element[];
  readonly page: number;
  readonly size: number;
  readonly totalElements: number;
  readonly totalPages: number;
  readonly last: boolean;
}

/** The members of a response that is a JSON object. */
export function bodyOf(response: HttpResponse): Record<string, unknown> {
  return response.json as Record<string, unknown>;
}

/** The page of a list. Throws the text of another response. */
export function pageOf<Element extends object = Record<string, unknown>>(
  response: HttpResponse,
): Page<Element> {
  if (response.status !== 200) throw new Error(`no page: ${response.status} ${response.text}`);
  return response.json as Page<Element>;
}

export function idsOf(response: HttpResponse): number[] {
  return pageOf<{ id: number }>(response).content.map(({ id }) => id);
}

/** The status, with the slug of a problem: `200`, `409 duplicate-email`. */
export function outcomeOf({ status, json }: HttpResponse): string {
  const { type } = (status < 400 ? {} : (json ?? {})) as { type?: string };
  return [status, ...(type?.split(':').slice(-1) ?? [])].join(' ');
}

/** The problem of a response; Client and Wire have checked its other members. */
export function expectProblem(response: HttpResponse, slug: string, instance?: string): Problem {
  const { status, json } = response as { status: number; json: Problem };
  const type = `urn:property-finance:problem:${slug}`;
  expect({ status, ...json }).toMatchObject({ type, ...(instance !== undefined && { instance }) });
  return json;
}

/** The field errors of a 400 that names exactly these fields. */
export function expectFaults(response: HttpResponse, ...fields: string[]): Readonly<Record<string, string>> {
  const { errors = {} } = expectProblem(response, 'validation-failed');
  expect(Object.keys(errors).sort()).toEqual([...fields].sort());
  return errors;
}

/** Health with its components, which an ADMIN does not see where the look-up of the caller takes half a second. */
export async function healthAt(admin: Client, path: string): Promise<unknown> {
  let body: object = {};
  await until(async () => 'components' in (body = bodyOf(await admin.get(path))));
  return body;
}

/** The digits of a number in a response's text: parsing would round them. */
export function digitsOf(response: HttpResponse, name: string): string | undefined {
  return new RegExp(String.raw`"${name}":\s*(-?[\d.eE+-]+|null)[,}]`).exec(response.text)?.[1];
}
