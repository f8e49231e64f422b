import { UnexpectedResponseError } from './errors.js';
import { type Result, dataOf } from './unwrap.js';

export interface ListOptions {
  /** How many elements one request brings; 100 by default. */
  readonly size?: number;
  /** `field`, `field,asc` or `field,desc`. By id when left out. */
  readonly sort?: readonly string[];
  readonly signal?: AbortSignal;
}

/** The part of a page that leads to the next. */
interface Page<Element> {
  readonly content: readonly Element[];
  readonly last: boolean;
}

/** Every element of every page, one request at a time, as the caller iterates. */
export async function* elementsOf<Element>(
  read: (cursor: string) => Promise<Result<Page<Element>>>,
): AsyncGenerator<Element, void, undefined> {
  for (let cursor = ''; ;) {
    const result = await read(cursor);
    const { content, last } = dataOf(result);
    yield* content;
    if (last) return;
    cursor = nextCursor(result.response);
  }
}

/** The cursor in the target of the header Link. */
function nextCursor(response: Response): string {
  const [, cursor] = /[?&]cursor=([^&>]+)[^>]*>; rel="next"/.exec(response.headers.get('link') ?? '') ?? [];
  if (cursor === undefined)
    throw new UnexpectedResponseError(response, 'The Link to the next page is missing.');
  return cursor;
}

export interface ChangesOptions {
  /** Of the page before, or of an export's header `Changes-Cursor`; without it all rows come from the beginning. */
  readonly cursor?: string;
  readonly size?: number;
  readonly signal?: AbortSignal;
}
