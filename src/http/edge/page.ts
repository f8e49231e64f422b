import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SortKey } from '../fields/sort.js';
import { JsonText } from '../json/exact-json.js';
import { pathOf } from '../target.js';
import { Representation } from './representation.js';

interface Contents {
  /** The elements as JSON text, separated by commas. */
  readonly content: string;
  readonly page: number;
  readonly size: number;
  /** The elements on all pages. */
  readonly total: number;
  readonly last: boolean;
  /** The cursor of the next page, if there is one. */
  readonly next: string | undefined;
  /** Of a list; the order of a search is in its body, which is to be sent again. */
  readonly sort?: readonly SortKey[] | undefined;
}

/** A page of a list, as the database gives it and a handler returns it. An empty result has no page at all. */
export class Page extends Representation {
  constructor(private readonly contents: Contents) {
    const { content, page, size, total, last } = contents;
    const counts = `"totalElements":${total},"totalPages":${Math.ceil(total / size)}`;
    const text = `{"content":[${content}],"page":${page},"size":${size},${counts},"last":${last}}`;
    super({ json: new JsonText(text) });
  }

  /** With the header Link (RFC 8288) to the next page. */
  override present(request: FastifyRequest, reply: FastifyReply): JsonText {
    const { next } = this.contents;
    if (next !== undefined)
      reply.header('link', `<${pathOf(request.url)}?${this.nextQuery(next)}>; rel="next"`);
    return super.present(request, reply);
  }

  private nextQuery(cursor: string): string {
    const { size, sort } = this.contents;
    const order = sort?.map(({ field, direction }) => `sort=${field},${direction.toLowerCase()}`) ?? [];
    return [...(sort === undefined ? [] : [`size=${size}`]), ...order, `cursor=${cursor}`].join('&');
  }
}
