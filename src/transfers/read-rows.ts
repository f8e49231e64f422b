import { setImmediate as nextTurn } from 'node:timers/promises';
import { readObject } from '../http/fields/fields.pipe.js';
import { Fault } from '../http/fields/fields.js';
import type { ReceivedFile } from '../http/requests/file-bodies.js';
import { TransactionRequest } from '../transactions/transactions.dto.js';
import { type DuplicateKey, duplicateKey } from './duplicate-key.js';
import { Findings } from './findings.js';
import { rowsOf, type SourceRow } from './source-rows.js';

/**
 * A valid row; whether its property exists, and whether it is a duplicate, is checked later. The request is read again
 * when it is stored, because all rows as objects would take up to ten times the memory of the file.
 */
export interface Row extends DuplicateKey {
  readonly line: number;
  readonly length: number;
  readonly propertyId: string;
  readonly read: () => TransactionRequest;
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

/** How long other requests may have to wait for a turn, in milliseconds. */
const LONGEST_TURN = 10;

/** Reads each row as the body of a POST is read. Throws validation-failed for the columns of CSV. */
export async function readRows(file: ReceivedFile, { rowLimit, longestRow }: RowLimits): Promise<ReadRows> {
  const rows: Row[] = [];
  const faults = new Findings();
  let count = 0;
  let since = performance.now();
  for (const source of rowsOf(file, longestRow)) {
    const { line } = source;
    if (count === rowLimit) {
      faults.add(line, null, `is past the ${rowLimit} rows that a file may have`);
      break;
    }
    count++;
    const request = requestIn(source.fields);
    if (request instanceof Fault)
      for (const [path, reason] of request.messages) faults.add(line, path === '' ? null : path, reason);
    else rows.push(rowOf(source, request));
    if (performance.now() - since < LONGEST_TURN) continue;
    await nextTurn();
    since = performance.now();
  }
  return { count, rows, faults };
}

function requestIn(fields: object | Fault): TransactionRequest | Fault {
  return fields instanceof Fault ? fields : readObject(TransactionRequest, fields);
}

function rowOf(source: SourceRow, request: TransactionRequest): Row {
  const { line, length, again } = source;
  const read = (): TransactionRequest => {
    const same = requestIn(again());
    if (same instanceof Fault) throw new Error(`line ${line} cannot be read a second time`);
    return same;
  };
  const { propertyId } = request;
  return { line, length, propertyId, ...duplicateKey(request), read };
}
