import type { Problem, ProblemOf, ProblemSlug } from './problem.js';

/** The service answered with a problem document. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';

  constructor(
    readonly problem: Problem,
    readonly response: Response,
  ) {
    super(`${problem.title ?? problem.type} (${problem.status}): ${problem.detail ?? 'no details'}`);
  }
}

/** Something answered, but neither with what was asked for nor with a problem document: a proxy, most often. */
export class UnexpectedAnswerError extends Error {
  override readonly name = 'UnexpectedAnswerError';

  constructor(
    readonly response: Response,
    /** The body as it came. */
    readonly text: string,
  ) {
    super(
      `An answer that is not the service's: ${response.status} ${response.headers.get('content-type') ?? ''}`,
    );
  }
}

/**
 * No answer came, or not all of it: the network broke, the time ran out, or nobody listens. Of a write it is not
 * known then whether it was done.
 */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';
  readonly method: string;
  readonly url: string;
  /** Whether the service may have done what was asked for all the same. */
  readonly mayBeDone: boolean;

  constructor({ method, url }: Request, cause: unknown) {
    const { pathname } = new URL(url);
    const advice = ONLY_READS.test(pathname) ? undefined : ADVICE[method];
    super(`No answer to ${method} ${pathname}${advice ?? ''}`, { cause });
    this.method = method;
    this.url = url;
    this.mayBeDone = advice !== undefined;
  }
}

/** What is a POST, and changes nothing. */
const ONLY_READS = /\/(signin|search)$/;

const ADVICE: Readonly<Record<string, string>> = {
  POST: ': it may be done all the same. Look before you send it again, by a paymentReference of your own for example.',
  PUT: ': it may be done all the same. Read the resource before you send it again.',
  DELETE: ': it may be done all the same. Send it again, or read the resource.',
};

/** Whether this is the problem of that slug: narrows `error.problem` to it. */
export function isProblem<Slug extends ProblemSlug>(
  error: unknown,
  slug: Slug,
): error is ProblemError & { readonly problem: ProblemOf<Slug> } {
  return error instanceof ProblemError && error.problem.slug === slug;
}
