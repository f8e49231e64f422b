import { ProblemError, UnexpectedResponseError } from './errors.js';
import { readProblem } from './problem.js';

/** The result of a call: data, or an error in its place. */
export interface Result<Data> {
  readonly data?: Data;
  readonly error?: unknown;
  readonly response: Response;
}

/** The data of a call. Throws {@link ProblemError} or {@link UnexpectedResponseError} when there is none. */
export async function unwrap<Data>(call: Promise<Result<Data>>): Promise<Data> {
  return dataOf(await call);
}

export function dataOf<Data>({ data, error, response }: Result<Data>): Data {
  if (response.ok) return data as Data;
  const problem = readProblem(error);
  if (problem !== undefined) throw new ProblemError(problem, response);
  throw new UnexpectedResponseError(response, textOf(error));
}

function textOf(error: unknown): string {
  if (error === undefined) return '';
  return typeof error === 'string' ? error : JSON.stringify(error);
}
