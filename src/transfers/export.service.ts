import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../config/settings.js';
import { Database } from '../database/database.js';
import type { ListStatement } from '../database/lists/list-statement.js';
import { wholeList } from '../database/lists/whole-list.js';
import { serviceUnavailable, validationFailed } from '../http/problem/problem.js';
import { AnswerInParts } from '../http/answers/answer-in-parts.js';
import { AnswerMemory } from '../http/answers/answer-memory.js';
import { CSV, FORMATS, linesStatement, type MediaType, type Rows } from './lines.js';
import type { ExportQuery } from './transfers.dto.js';

/** What one export holds at most: a row that came in as a body, in the longest of its forms, and copies of it on their way. */
const HELD = 4 * 1024 * 1024;
const BYTE_ORDER_MARK = '\ufeff';

/** Writes all rows of a list into a file. Each export holds a connection, so that only a few run at once. */
@Injectable()
export class ExportService {
  private underWay = 0;
  private readonly held: number;

  constructor(
    private readonly database: Database,
    private readonly memory: AnswerMemory,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'exports' | 'responseMemory'>,
  ) {
    this.held = Math.min(HELD, settings.responseMemory);
  }

  /**
   * Throws validation-failed for a separator that is the decimal sign, service-unavailable when too many are under way or
   * the database is away.
   */
  async begin(
    rows: Rows,
    list: ListStatement,
    mediaType: MediaType,
    query: ExportQuery,
  ): Promise<AnswerInParts> {
    if (query.separator === query.decimal) throw validationFailed({ decimal: 'must not be the separator' });
    const { atOnce, longest } = this.settings.exports;
    if (this.underWay >= atOnce) throw serviceUnavailable('Too many exports are under way.');
    this.memory.hold(this.held);
    this.underWay++;
    const { extension, contentType } = FORMATS[mediaType];
    return AnswerInParts.of(this.write(rows, list, mediaType, query), {
      headers: {
        'content-type': contentType,
        'content-disposition': `attachment; filename="${rows.table}.${extension}"`,
      },
      longest,
      over: () => {
        this.underWay--;
        this.memory.release(this.held);
      },
    });
  }

  private async *write(
    rows: Rows,
    list: ListStatement,
    mediaType: MediaType,
    query: ExportQuery,
  ): AsyncGenerator<string> {
    const { lineEnd, head } = FORMATS[mediaType];
    const lines = linesStatement(mediaType, query, rows, list.ofOneOwner === true);
    const snapshot = await this.database.snapshot(this.settings.exports.longest);
    try {
      let before =
        (query.bom && mediaType === CSV ? BYTE_ORDER_MARK : '') +
        head(rows, query)
          .map((line) => line + lineEnd)
          .join('');
      for await (const part of wholeList(snapshot, list, lines)) {
        yield before + part.join(lineEnd) + lineEnd;
        before = '';
      }
      if (before !== '') yield before;
    } finally {
      await snapshot.end();
    }
  }
}
