import { Inject, Injectable, StreamableFile } from '@nestjs/common';
import type { Caller } from '../access/caller.js';
import { SETTINGS, type Settings } from '../config/settings.js';
import { Database } from '../database/database.js';
import type { ListStatement } from '../database/lists/list-statement.js';
import { wholeList } from '../database/lists/whole-list.js';
import { Shares } from '../database/shares.js';
import { ResponseMemory } from '../http/edge/large-responses.js';
import type { Release } from '../http/edge/lines.js';
import { FORMATS, linesStatement, type MediaType, type Rows } from './lines.js';
import { pacedStream } from './paced-stream.js';
import type { ExportQuery } from './transfers.dto.js';

/** Bytes that one export holds at most: a row that came in as a body, in the longest of its forms, and its copies on their way. */
const HELD = 4 * 1024 * 1024;
/** Milliseconds between two statements, after which PostgreSQL ends an export that the service has forgotten. */
const LONGEST_PAUSE = 120_000;

/** Writes all rows of a list into a file. */
@Injectable()
export class ExportService {
  private readonly held: number;

  constructor(
    private readonly database: Database,
    private readonly memory: ResponseMemory,
    private readonly shares: Shares,
    @Inject(SETTINGS) { responseMemory }: Pick<Settings, 'responseMemory'>,
  ) {
    this.held = Math.min(HELD, responseMemory);
  }

  /**
   * Throws validation-failed for a separator that is the decimal sign, too-many-requests when the caller has one under
   * way, and service-unavailable when too many others have.
   */
  async begin(
    caller: Caller,
    rows: Rows,
    list: ListStatement,
    mediaType: MediaType,
    query: ExportQuery,
  ): Promise<StreamableFile> {
    const head = FORMATS[mediaType].head(rows, query);
    const release = await this.take(caller);
    const { extension, contentType } = FORMATS[mediaType];
    const parts = this.write(caller, rows, list, mediaType, query, head);
    return new StreamableFile(await pacedStream(thenRelease(parts, release)), {
      type: contentType,
      disposition: `attachment; filename="${rows.table}.${extension}"`,
    });
  }

  /** The caller's turn, and memory. */
  private async take(caller: Caller): Promise<Release> {
    const release = await this.shares.export(caller);
    try {
      this.memory.hold(this.held);
    } catch (error) {
      release();
      throw error;
    }
    return () => {
      this.memory.release(this.held);
      release();
    };
  }

  private async *write(
    caller: Caller,
    rows: Rows,
    list: ListStatement,
    mediaType: MediaType,
    query: ExportQuery,
    head: string,
  ): AsyncGenerator<string> {
    const { lineEnd } = FORMATS[mediaType];
    const lines = linesStatement(mediaType, query, rows, list.ofOneOwner === true);
    const snapshot = await this.database.snapshot(caller, LONGEST_PAUSE);
    try {
      let before = head;
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

async function* thenRelease(parts: AsyncGenerator<string>, release: Release): AsyncGenerator<string, void> {
  try {
    yield* parts;
  } finally {
    release();
  }
}
