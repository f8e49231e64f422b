import { Injectable } from '@nestjs/common';
import { Settings } from '../config/env.js';
import { Places, type Release } from '../common/concurrency/places.js';
import type { Account } from '../database/shares.js';
import { ClientMemory } from '../http/client-memory.js';
import type { UploadedFile } from '../http/uploaded-file.js';
import { ProblemError } from '../common/problems/problem.js';

/** Bytes of a file for which room is made at once. */
const STEP = 256 * 1024;

/** The bounds on files: one an account, and a few imported at once. */
@Injectable()
export class Uploads {
  private readonly ofAccounts: Places;
  private readonly importing: Places;

  constructor(
    { imports, database, shareTimeout }: Settings,
    private readonly memory: ClientMemory,
  ) {
    const own = {
      after: shareTimeout,
      error: () => new ProblemError('too-many-requests', 'Your previous file is still being imported.'),
    };
    const others = {
      after: database.acquireTimeout,
      error: () => new ProblemError('service-unavailable', 'Too many files are being imported.'),
    };
    this.ofAccounts = new Places(Infinity, 1, { own, others });
    this.importing = new Places(imports.concurrency, imports.concurrency, { own, others });
  }

  /**
   * Reads a file as it arrives, and only then waits for its turn to be imported: a slow client delays nobody.
   * Throws too-many-requests, service-unavailable, and what the file's bytes fail with.
   */
  async process<Rows, Result>(
    account: Account,
    file: UploadedFile,
    read: (bytes: AsyncIterable<Buffer, undefined>) => Promise<Rows>,
    imports: (rows: Rows) => Promise<Result>,
  ): Promise<Result> {
    const kept: Release[] = [];
    let leave = (): void => undefined;
    try {
      leave = await this.ofAccounts.take(account);
      const bytes = file.read(async (length) => {
        while (length > kept.length * STEP) kept.push(await this.memory.hold(account, STEP));
      });
      const rows = await read(bytes);
      const end = await this.importing.take(account);
      return await imports(rows).finally(end);
    } finally {
      for (const release of kept) release();
      void file.discard().then(leave);
    }
  }
}
