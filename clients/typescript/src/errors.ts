import { isRecord } from './is-record.js';
import type { Problem, ProblemOf, ProblemSlug } from './problem.js';

/** The service answered with a problem document. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  /** Undefined for a problem that this client does not know. */
  readonly slug: ProblemSlug | undefined;
  readonly status: number;
  /** Field → its fault; empty unless the slug is `validation-failed`. */
  readonly errors: Readonly<Record<string, string>>;

  constructor(
    readonly problem: Problem,
    readonly response: Response,
  ) {
    const errors = problem.slug === 'validation-failed' ? problem.errors : {};
    const faults = Object.entries(errors).map(([field, fault]) => `${field} ${fault}`);
    const reason = faults.join('; ') || (problem.detail ?? 'no details');
    super(`${problem.title ?? problem.type} (${problem.status}): ${reason}`);
    this.slug = problem.slug;
    this.status = problem.status;
    this.errors = errors;
  }
}

/** A response from another server: usually a proxy, or the base URL is wrong. */
export class UnexpectedResponseError extends Error {
  override readonly name = 'UnexpectedResponseError';

  constructor(
    readonly response: Response,
    /** The body as it came. */
    readonly text: string,
    reason = 'which is not a response of this service',
  ) {
    const type = response.headers.get('content-type') ?? 'no content type';
    super(`${response.url} answered ${response.status} (${type}), ${reason}. Is the baseUrl right?`);
  }
}

/** No response or only a part of it: the network failed, the time ran out, or nothing listens at the address. */
export class NoResponseError extends Error {
  override readonly name = 'NoResponseError';
  readonly method: string;
  readonly url: string;
  /** Whether the service may have done the write. */
  readonly mayBeDone: boolean;
  /** The key to repeat the call with, so that it is done once. */
  readonly idempotencyKey: string | undefined;

  constructor({ method, url, headers }: Request, cause: unknown) {
    const { pathname } = new URL(url);
    const key = headers.get('idempotency-key') ?? undefined;
    const advice = ONLY_READS.test(pathname) ? undefined : ADVICE[key === undefined ? method : 'keyed'];
    super(`No response to ${method} ${pathname} (${reasonOf(cause)})${advice ?? ''}`, { cause });
    this.method = method;
    this.url = url;
    this.mayBeDone = advice !== undefined;
    this.idempotencyKey = key;
  }
}

/** The innermost reason: `fetch failed` says nothing, its cause "connect ECONNREFUSED 127.0.0.1:8080". */
function reasonOf(error: unknown): string {
  if (!isRecord(error)) return String(error);
  const { cause, message, code } = error;
  if (cause !== undefined) return reasonOf(cause);
  const reason = [message, code].find((text) => typeof text === 'string' && text !== '');
  return typeof reason === 'string' ? reason : 'for an unknown reason';
}

/** POSTs that change nothing. */
const ONLY_READS = /\/(signin|search|export)$/;

const ADVICE: Readonly<Record<string, string>> = {
  POST: ': it may have been done. Look for it before you send it again, for example by a paymentReference of your own.',
  keyed: ': it may have been done. Send it again with the idempotencyKey of this error.',
  PUT: ': it may have been done. Read the resource before you send it again.',
  DELETE: ': it may have been done. Send it again, or read the resource.',
};

/** Whether the error is the problem of that slug: narrows `error.slug`, `error.status` and `error.problem` to it. */
export function isProblem<Slug extends ProblemSlug>(
  error: unknown,
  slug: Slug,
): error is ProblemError & { readonly problem: ProblemOf<Slug> } & Pick<ProblemOf<Slug>, 'slug' | 'status'> {
  return error instanceof ProblemError && error.slug === slug;
}
