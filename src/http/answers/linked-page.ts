import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { SortKey } from '../fields/sort.js';
import type { JsonText } from '../json/exact-json.js';
import { pathOf } from '../target.js';

/** A page of a list, and the cursor of the next one if there is one. */
export interface Page {
  readonly body: JsonText;
  readonly next?: string | undefined;
}

/** What of a list's query the link to its next page has to repeat. */
interface ListQuery {
  readonly size: number;
  readonly sort: readonly SortKey[];
}

/** A page with the header Link (RFC 8288) to the one that follows. */
export class LinkedPage {
  private constructor(
    readonly body: JsonText,
    readonly query: string | undefined,
  ) {}

  /** Of a search the link has the cursor alone: the rest is in the body, which is to be sent again. */
  static of({ body, next }: Page, query?: ListQuery): LinkedPage {
    if (next === undefined) return new LinkedPage(body, undefined);
    const order = query?.sort.map(({ field, direction }) => `sort=${field},${direction.toLowerCase()}`) ?? [];
    const size = query === undefined ? [] : [`size=${query.size}`];
    return new LinkedPage(body, [...size, ...order, `cursor=${next}`].join('&'));
  }
}

/** Turns a {@link LinkedPage} that a handler returns into header and body. */
export function sendLinkedPages(fastify: FastifyInstance): void {
  fastify.addHook('preSerialization', (request, reply, payload, done) => {
    if (!(payload instanceof LinkedPage)) {
      done(null, payload);
      return;
    }
    if (payload.query !== undefined) reply.header('link', linkTo(request, payload.query));
    done(null, payload.body);
  });
}

function linkTo(request: FastifyRequest, query: string): string {
  return `<${pathOf(request.url)}?${query}>; rel="next"`;
}
