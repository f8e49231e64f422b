import type { SortKey } from '../fields/sort.js';
import { JsonText } from '../json/exact-json.js';
import { Representation } from './representation.js';

interface Contents {
  /** The elements as JSON text, separated by commas. */
  readonly content: string;
  readonly page: number;
  readonly size: number;
  /** The elements on all pages. */
  readonly total: number;
  /** The cursor of the next page; undefined on the last. */
  readonly next: string | undefined;
  /** Of a list; the order of a search is in its body, which is to be sent again. */
  readonly sort?: readonly SortKey[] | undefined;
}

/** A page of a list, as the database gives it and a handler returns it. An empty result has no page at all. */
export class Page extends Representation {
  constructor({ content, page, size, total, next, sort }: Contents) {
    const counts = `"totalElements":${total},"totalPages":${Math.ceil(total / size)}`;
    const text = `{"content":[${content}],"page":${page},"size":${size},${counts},"last":${next === undefined}}`;
    const order = sort?.map(({ field, direction }) => `sort=${field},${direction.toLowerCase()}`);
    const query = [...(order === undefined ? [] : [`size=${size}`, ...order]), `cursor=${next}`];
    super({ json: new JsonText(text), nextQuery: next && query.join('&') });
  }
}
