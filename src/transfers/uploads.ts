import type { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import { SETTINGS, type Settings } from '../config/settings.js';
import { Lines } from '../common/concurrency/lines.js';
import { Semaphore } from '../common/concurrency/semaphore.js';
import type { Account } from '../database/shares.js';
import type { UploadedFile } from '../http/uploaded-file.js';
import { ProblemError } from '../common/problems/problem.js';

/** Files of the largest size that may wait in memory beside those being imported. */
const MORE_IN_MEMORY = 4;

const tooMany = (): ProblemError =>
  new ProblemError('service-unavailable', 'Too many files are being imported.');

/** The bounds on files: one an account, a few imported at once, and the bytes of all. */
@Injectable()
export class Uploads {
  private readonly ofAccounts: Lines;
  private readonly importing: Semaphore;
  private readonly mostBytes: number;
  private bytes = 0;

  constructor(@Inject(SETTINGS) { imports, database }: Pick<Settings, 'imports' | 'database'>) {
    const { bodyLimit, concurrency } = imports;
    const { acquireTimeout } = database;
    this.ofAccounts = new Lines(
      1,
      acquireTimeout,
      () => new ProblemError('too-many-requests', 'Your previous file is still being imported.'),
    );
    this.importing = new Semaphore(concurrency, acquireTimeout, tooMany);
    this.mostBytes = bodyLimit * (concurrency + MORE_IN_MEMORY);
  }

  /**
   * Reads a file as it arrives, and only then waits for its turn to be imported: a slow client delays nobody.
   * Throws too-many-requests, service-unavailable, and what the file's bytes fail with.
   */
  async process<Rows, Result>(
    account: Account,
    file: UploadedFile,
    read: (bytes: Readable) => Promise<Rows>,
    imports: (rows: Rows) => Promise<Result>,
  ): Promise<Result> {
    let [length, leave] = [0, (): void => undefined];
    try {
      leave = await this.ofAccounts.take(account);
      const bytes = file.open((chunk) => {
        length += chunk.length;
        this.bytes += chunk.length;
        if (this.bytes > this.mostBytes) throw tooMany();
      });
      const rows = await read(bytes).finally(() => bytes.destroy());
      const end = await this.importing.take();
      return await imports(rows).finally(end);
    } finally {
      this.bytes -= length;
      void file.discard().then(leave);
    }
  }
}
