import type { Answer } from './client.js';

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
export function bodyOf(answer: Answer): Record<string, unknown> {
  return answer.json as Record<string, unknown>;
}

/** The page of a list. Throws the text of another response. */
export function pageOf<Element extends object = Record<string, unknown>>(answer: Answer): Page<Element> {
  if (answer.status !== 200) throw new Error(`no page: ${answer.status} ${answer.text}`);
  return answer.json as Page<Element>;
}

export function idsOf(answer: Answer): number[] {
  return pageOf<{ id: number }>(answer).content.map(({ id }) => id);
}

/** The status, with the slug of a problem: `200`, `409 duplicate-email`. */
export function outcomeOf({ status, json }: Answer): string {
  const { type } = (status < 400 ? {} : (json ?? {})) as { type?: string };
  return [status, ...(type?.split(':').slice(-1) ?? [])].join(' ');
}

/** The problem of a response; Client and Wire have checked its other members. */
export function expectProblem(answer: Answer, slug: string, instance?: string): Problem {
  const { status, json } = answer as { status: number; json: Problem };
  const type = `urn:property-finance:problem:${slug}`;
  expect({ status, ...json }).toMatchObject({ type, ...(instance !== undefined && { instance }) });
  return json;
}

/** The field errors of a 400 that names exactly these fields. */
export function expectFaults(answer: Answer, ...fields: string[]): Readonly<Record<string, string>> {
  const { errors = {} } = expectProblem(answer, 'validation-failed');
  expect(Object.keys(errors).sort()).toEqual([...fields].sort());
  return errors;
}

/** The digits of a number in a response's text: parsing would round them. */
export function digitsOf(answer: Answer, name: string): string | undefined {
  return new RegExp(String.raw`"${name}":\s*(-?[\d.eE+-]+|null)[,}]`).exec(answer.text)?.[1];
}
