import { PROBLEMS } from './generated/problems.js';
import type { ImportRefusedProblem, Problem as CommonDocument } from './generated/schema.js';
import { isRecord } from './is-record.js';

type Problems = typeof PROBLEMS;
/** With the members of some problems only. */
type ProblemDocument = CommonDocument & Omit<ImportRefusedProblem, keyof CommonDocument>;
type Always = 'detail' | 'instance' | 'timestamp';

const TYPE = 'urn:property-finance:problem:';

/** The name of a problem: its `type` without the common prefix. */
export type ProblemSlug = keyof Problems;

/** The problem document of one slug, with the fields that only it has. */
export type ProblemOf<Slug extends ProblemSlug> = Slug extends ProblemSlug
  ? Readonly<
      Pick<ProblemDocument, Always> &
        Pick<Required<ProblemDocument>, Problems[Slug]['has'][number]> & {
          slug: Slug;
          type: `${typeof TYPE}${Slug}`;
          status: Problems[Slug]['status'];
          title: Problems[Slug]['title'];
        }
    >
  : never;

/** A problem document of a type that this client does not know, from a newer service or from a proxy. */
export type UnknownProblem = Readonly<Partial<CommonDocument>> & {
  readonly slug: undefined;
  readonly type: string;
  readonly status: number;
};

/** `switch (problem.slug)` leads to the fields of each. */
export type Problem = ProblemOf<ProblemSlug> | UnknownProblem;

/** The body as a problem document; undefined for any other. */
export function readProblem(body: unknown): Problem | undefined {
  if (!isRecord(body) || typeof body['type'] !== 'string' || typeof body['status'] !== 'number')
    return undefined;
  return { ...body, slug: slugIn(body, body['type']) } as Problem;
}

/** The slug, if it is known and the document has all that belongs to it. */
function slugIn(body: object, type: string): ProblemSlug | undefined {
  const slug = type.startsWith(TYPE) ? type.slice(TYPE.length) : '';
  if (!Object.hasOwn(PROBLEMS, slug)) return undefined;
  return PROBLEMS[slug as ProblemSlug].has.every((field) => field in body)
    ? (slug as ProblemSlug)
    : undefined;
}

/** The problem document in this response, which can still be read afterwards. */
export async function problemIn(response: Response): Promise<Problem | undefined> {
  if (response.ok) return undefined;
  try {
    return readProblem(await response.clone().json());
  } catch {
    return undefined;
  }
}

/** The slug of a known problem. */
export async function slugOf(response: Response): Promise<ProblemSlug | undefined> {
  return (await problemIn(response))?.slug;
}
