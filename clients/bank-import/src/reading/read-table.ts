import { camtTable, isCamt } from './camt.js';
import { isOfx, ofxTable } from './ofx.js';
import type { Table } from './table.js';

/** The table of an OFX or a CAMT file; undefined for any other, which is CSV. */
export function standardTable(text: string): Table | undefined {
  if (isOfx(text)) return ofxTable(text);
  return isCamt(text) ? camtTable(text) : undefined;
}
