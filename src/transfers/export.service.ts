import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { type Caller, scopeOf } from '../common/access/caller.js';
import { JsonParts, type Parts } from '../common/json/exact-json.js';
import { cursorOf } from '../common/paging/changes.js';
import { Changes } from '../database/changes.js';
import { Database } from '../database/database.js';
import type { ListStatement } from '../database/lists/statement.js';
import { linesOfList } from '../database/lists/list-lines.js';
import { Shares } from '../database/shares.js';
import type { FileType } from '../http/uploaded-file.js';
import { Representation } from '../http/representation.js';
import { ClientMemory } from '../http/client-memory.js';
import { CSV } from '../common/validation/csv-form.js';
import { PropertiesRepository } from '../properties/properties.repository.js';
import { TransactionsRepository } from '../transactions/transactions.repository.js';
import type { ExportQuery, PropertyExportQuery } from './dto/transfers.request.js';
import { linesStatement } from './file-format.js';

/** Most bytes that one export holds: the longest row that a body can bring, and its copies on their way out. */
const HELD = 4 * 1024 * 1024;
/** Milliseconds without a statement after which PostgreSQL ends the snapshot of an abandoned export. */
const LONGEST_PAUSE = 120_000;
const CHECK_INTERVAL = 1000; // milliseconds
const SAFE_TIME = 20; // seconds for which an export has its place, whoever waits
const FAST = 1024 * 1024; // bytes a second, with which it keeps its place
const LONGEST = 3_600_000; // milliseconds for which a client may keep a snapshot of the database open

/** Writes all rows of a list into a file. */
@Injectable()
export class ExportService {
  /** In the order of their beginnings: since when a client has taken its export, and how many bytes. */
  private readonly running = new Map<Readable, { readonly since: number; bytes: number }>();

  constructor(
    private readonly database: Database,
    private readonly changes: Changes,
    private readonly memory: ClientMemory,
    private readonly shares: Shares,
    private readonly properties: PropertiesRepository,
    private readonly transactions: TransactionsRepository,
  ) {}

  /** As {@link begin}. */
  async beginProperties(caller: Caller, type: FileType, query: PropertyExportQuery): Promise<Representation> {
    return this.begin(caller, this.properties.list(scopeOf(caller), query.sort), type, query);
  }

  /**
   * Throws too-many-requests while the caller has another export, and service-unavailable while others have too many. Its
   * changes are followed from before its snapshot.
   */
  async begin(caller: Caller, list: ListStatement, type: FileType, query: ExportQuery) {
    const isCsv = type === CSV;
    const { table, ofOneOwner = false } = list;
    const lines = linesStatement(type, query, table, this[table].row, ofOneOwner);
    const parts = this.database.snapshot(caller, LONGEST_PAUSE, (run) => linesOfList(run, list, lines));
    const place = await this.changes.start(caller);
    const json = await this.pacedWithinBounds(caller, { head: lines.head, parts, longest: 0 });
    const headers = {
      'content-type': isCsv ? `${CSV}; charset=utf-8` : type,
      'content-disposition': `attachment; filename="${table}.${isCsv ? 'csv' : 'ndjson'}"`,
      ...(place !== undefined && { 'changes-cursor': cursorOf(place) }),
    };
    return new Representation({ json }, headers);
  }

  /** Begins within the bounds on the exports of the caller and of all accounts, and on the memory. */
  private async pacedWithinBounds(caller: Caller, text: Parts): Promise<JsonParts> {
    const { exports } = this.shares;
    const waitsForOthers = !exports.has(caller);
    const check = setInterval(() => waitsForOthers && this.endSlowest(), CHECK_INTERVAL);
    const kept = [await exports.take(caller).finally(() => clearInterval(check))];
    const end = (): void => kept.splice(0).forEach((release) => release());
    try {
      kept.push(await this.memory.hold(caller, HELD));
      const progress = { since: performance.now(), bytes: 0 };
      const stream = await JsonParts.of({ ...text, parts: counted(text.parts, progress) });
      const timer = setTimeout(() => stream.destroy(new Error('its client has taken an hour')), LONGEST);
      this.running.set(stream, progress);
      stream.once('close', () => {
        clearTimeout(timer);
        this.running.delete(stream);
        end();
      });
      return stream;
    } catch (error) {
      end();
      throw error;
    }
  }

  /** While another waits, which cannot know how long a slow reader takes. */
  private endSlowest(): void {
    const now = performance.now();
    for (const [stream, { since, bytes }] of this.running) {
      const seconds = (now - since) / 1000;
      if (seconds < SAFE_TIME || bytes / seconds > FAST) continue;
      stream.destroy(new Error('others wait, and its client takes less than 1 MiB a second'));
      return;
    }
  }
}

async function* counted(parts: AsyncGenerator<Buffer, void>, progress: { bytes: number }) {
  for await (const part of parts) {
    yield part;
    progress.bytes += part.length;
  }
}
