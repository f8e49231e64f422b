import { Inject, Injectable, StreamableFile } from '@nestjs/common';
import type { Caller } from '../common/access/caller.js';
import { scopeOf } from '../common/access/owner-scope.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { Database } from '../database/database.js';
import type { ListStatement } from '../database/lists/list-statement.js';
import { wholeList } from '../database/lists/whole-list.js';
import { Shares } from '../database/shares.js';
import type { FileType } from '../http/uploaded-file.js';
import { ResponseMemory } from '../http/large-responses.js';
import { CSV } from '../common/validation/csv-form.js';
import { PropertiesRepository } from '../properties/properties.repository.js';
import { TransactionsRepository } from '../transactions/transactions.repository.js';
import type { ExportQuery, PropertyExportQuery } from './dto/transfers.request.js';
import { linesStatement, PROPERTIES, type Rows } from './lines.js';
import { exportStream } from './export-stream.js';

/** Most bytes that one export holds: the longest row that a body can bring, and its copies on their way out. */
const HELD = 4 * 1024 * 1024;
/** Milliseconds without a statement after which PostgreSQL ends the snapshot of an abandoned export. */
const LONGEST_PAUSE = 120_000;

/** Writes all rows of a list into a file. */
@Injectable()
export class ExportService {
  constructor(
    private readonly database: Database,
    private readonly memory: ResponseMemory,
    private readonly shares: Shares,
    private readonly properties: PropertiesRepository,
    private readonly transactions: TransactionsRepository,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'responseMemory'>,
  ) {}

  /** As {@link begin}. */
  async beginProperties(caller: Caller, type: FileType, query: PropertyExportQuery): Promise<StreamableFile> {
    return this.begin(caller, PROPERTIES, this.properties.list(scopeOf(caller), query.sort), type, query);
  }

  /**
   * Throws validation-failed for a separator that is the decimal sign, too-many-requests while the caller has another
   * export, and service-unavailable while others have too many.
   */
  async begin(
    caller: Caller,
    rows: Rows,
    list: ListStatement,
    type: FileType,
    query: ExportQuery,
  ): Promise<StreamableFile> {
    const isCsv = type === CSV;
    const lines = linesStatement(type, query, rows, this[rows.table].view, list.ofOneOwner === true);
    const parts = this.database.snapshot(caller, LONGEST_PAUSE, (run) => wholeList(run, list, lines));
    return new StreamableFile(await exportStream(this.bounded(caller, parts)), {
      type: isCsv ? `${CSV}; charset=utf-8` : type,
      disposition: `attachment; filename="${rows.table}.${isCsv ? 'csv' : 'ndjson'}"`,
    });
  }

  /** Bounds the exports of the caller, those of all accounts, and the memory of responses. */
  private async *bounded(caller: Caller, parts: AsyncGenerator<string, void>): AsyncGenerator<string, void> {
    const leave = await this.shares.exports.take(caller);
    const held = Math.min(HELD, this.settings.responseMemory);
    try {
      const release = this.memory.hold(held);
      try {
        yield* parts;
      } finally {
        release();
      }
    } finally {
      leave();
    }
  }
}
