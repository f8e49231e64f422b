import { setImmediate as nextTurn } from 'node:timers/promises';
import { readObject } from '../http/fields/fields.pipe.js';
import { Fault } from '../http/fields/fields.js';
import type { ReceivedFile } from '../http/server/file-bodies.js';
import { TransactionRequest } from '../transactions/transactions.dto.js';
import { Findings } from './findings.js';
import { rowsOf } from './source-rows.js';

/** A row that is right as far as it goes: whose property it names, and whether it is there already, is still to be seen. */
export interface Row {
  readonly line: number;
  readonly length: number;
  readonly request: TransactionRequest;
}

export interface ReadRows {
  /** With those that are at fault. */
  readonly count: number;
  readonly rows: readonly Row[];
  readonly faults: Findings;
}

export interface RowLimits {
  readonly rowLimit: number;
  /** In characters. */
  readonly longestRow: number;
}

/** For how long nobody else has a turn, in milliseconds. */
const LONGEST_TURN = 10;

/** Reads each row as the body of a POST is read. Throws validation-failed for the columns of CSV. */
export async function readRows(file: ReceivedFile, { rowLimit, longestRow }: RowLimits): Promise<ReadRows> {
  const rows: Row[] = [];
  const faults = new Findings();
  let count = 0;
  let since = performance.now();
  for (const { line, length, fields } of rowsOf(file, longestRow)) {
    if (count === rowLimit) {
      faults.add(line, null, `is past the ${rowLimit} rows that a file may have`);
      break;
    }
    count++;
    const request = fields instanceof Fault ? fields : readObject(TransactionRequest, fields);
    if (request instanceof Fault)
      for (const [path, reason] of request.messages) faults.add(line, path === '' ? null : path, reason);
    else rows.push({ line, length, request });
    if (performance.now() - since < LONGEST_TURN) continue;
    await nextTurn();
    since = performance.now();
  }
  return { count, rows, faults };
}
