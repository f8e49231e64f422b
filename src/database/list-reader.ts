import { Injectable } from '@nestjs/common';
import type { Caller } from '../access/caller.js';
import { Cursors, FOREIGN_CURSOR, type Mark } from '../http/fields/cursors.js';
import { isLastPage, type PageFacts, type PageRequest } from '../http/fields/page.js';
import { validationFailed } from '../http/problem/problem.js';
import { Database } from './database.js';
import type { ListStatement } from './list-statement.js';
import { queryPage, type QueriedPage } from './page-query.js';

/** Who asks for which list; with the fields of the request it is what a cursor belongs to. */
export interface ListOf {
  readonly caller: Caller;
  readonly resource: string;
}

export interface ReadPage extends PageFacts, Pick<QueriedPage, 'content'> {
  /** The cursor of the page that follows, if one does. */
  readonly next?: string;
}

/** Reads the pages of lists, by number and by cursor. */
@Injectable()
export class ListReader {
  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
  ) {}

  /**
   * Undefined when what the list belongs to is not there. Throws validation-failed for a cursor that was not given for
   * this list, in this order and with these filters, to this caller.
   */
  async read(query: ListStatement, request: PageRequest, listOf: ListOf): Promise<ReadPage | undefined> {
    const list = nameOf(request, listOf);
    const after = this.markOf(list, request);
    if (after !== undefined && after.position.length !== query.order.length) throw foreignCursor();
    const [page, { size }] = [after?.page ?? request.page ?? 0, request];
    const rows = await queryPage(this.database, query, { page, size, after });
    if (rows === undefined) return undefined;
    const { total, position, more, content } = rows;
    const last = more === null ? isLastPage({ page, size, total }) : !more;
    const read = { content, page, size, total, last };
    if (last || position === null) return read;
    return { ...read, next: this.cursors.write(list, { page: page + 1, total, position }) };
  }

  private markOf(list: string, { page, cursor }: PageRequest): Mark | undefined {
    if (cursor === null) return undefined;
    if (page !== null) throw validationFailed({ cursor: 'must not be given together with page' });
    if (cursor === '') return undefined;
    const mark = this.cursors.read(list, cursor);
    if (mark === undefined) throw foreignCursor();
    return mark;
  }
}

function foreignCursor(): Error {
  return validationFailed({ cursor: FOREIGN_CURSOR });
}

const OF_THE_PAGE = ['page', 'size', 'cursor'];

/** The size of the pages may change on the way; what was left out is no part of the name. */
function nameOf(request: PageRequest, { caller, resource }: ListOf): string {
  const fields: [string, unknown][] = Object.entries(request);
  const given = fields.filter(([name, value]) => value !== null && !OF_THE_PAGE.includes(name));
  return JSON.stringify([resource, caller.role, caller.id, Object.fromEntries(given)]);
}
