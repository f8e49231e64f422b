import type { FastifyInstance } from 'fastify';
import type { SortKey } from '../fields/sort.js';
import { JsonText } from '../json/exact-json.js';
import { pathOf } from '../target.js';

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

/** A page of a list, as the database gives it and a handler returns it. */
export class Page {
  constructor(private readonly contents: Contents) {}

  /** The paged envelope. An empty result has no page at all. */
  get json(): JsonText {
    const { content, page, size, total, last } = this.contents;
    const totalPages = Math.ceil(total / size);
    return new JsonText(
      `{"content":[${content}],"page":${page},"size":${size},"totalElements":${total},"totalPages":${totalPages},"last":${last}}`,
    );
  }

  /** The query of the link to the next page. */
  get nextQuery(): string | undefined {
    const { next, size, sort } = this.contents;
    if (next === undefined) return undefined;
    const order = sort?.map(({ field, direction }) => `sort=${field},${direction.toLowerCase()}`) ?? [];
    return [...(sort === undefined ? [] : [`size=${size}`]), ...order, `cursor=${next}`].join('&');
  }
}

/** Turns a {@link Page} that a handler returns into its envelope and the header Link (RFC 8288) to the next one. */
export function sendPages(fastify: FastifyInstance): void {
  fastify.addHook('preSerialization', (request, reply, payload, done) => {
    if (!(payload instanceof Page)) {
      done(null, payload);
      return;
    }
    const query = payload.nextQuery;
    if (query !== undefined) reply.header('link', `<${pathOf(request.url)}?${query}>; rel="next"`);
    done(null, payload.json);
  });
}
