import { csvLine } from '../database/csv.js';
import type { JsonView } from '../database/json-view.js';
import { type LinesStatement, MAX_ROWS } from '../database/lists/whole-list.js';
import { CSV, csvHead } from '../http/fields/csv-form.js';
import type { Column } from './columns.js';
import type { ExportQuery } from './transfers.dto.js';

export const NDJSON = 'application/x-ndjson';
/** The first is the default. */
export const MEDIA_TYPES = [CSV, NDJSON] as const;
export type MediaType = (typeof MEDIA_TYPES)[number];

/** What the rows of a file are. */
export interface Rows {
  /** Of the file, too. */
  readonly table: 'properties' | 'transactions';
  readonly view: JsonView;
  readonly columns: readonly Column[];
}

/** How a file is written. */
interface Format {
  readonly extension: string;
  readonly contentType: string;
  readonly lineEnd: string;
  /** The text before the rows. Throws validation-failed for a form that cannot be read again. */
  readonly head: (rows: Rows, form: ExportQuery) => string;
  /** A statement for the id and the line of each row that a clause finds, which names it `t` and ends in a LIMIT. */
  readonly lines: (rows: Rows, from: string, form: ExportQuery) => string;
}

export const FORMATS: Readonly<Record<MediaType, Format>> = {
  [CSV]: {
    extension: 'csv',
    contentType: `${CSV}; charset=utf-8`,
    lineEnd: '\r\n',
    head: ({ columns }, form) =>
      csvHead(
        columns.map(({ name }) => name),
        form,
      ),
    lines: ({ view, columns }, from, form) => {
      const cells = columns.map(({ name, kind }) => [kind, view.expression(name)] as const);
      return `SELECT t.id, ${csvLine(cells, form)} AS line ${from}`;
    },
  },
  [NDJSON]: {
    extension: 'ndjson',
    contentType: NDJSON,
    lineEnd: '\n',
    head: () => '',
    lines: ({ view }, from) => view.eachFrom(from, 'line'),
  },
};

/** For the rows with the ids of a parameter. */
export function linesStatement(
  mediaType: MediaType,
  form: ExportQuery,
  rows: Rows,
  ofOneOwner: boolean,
): LinesStatement {
  // One look-up for each id: where PostgreSQL expects few rows of an owner, it would read all of them for an array of ids.
  const ofOwner = `SELECT t.* FROM ${rows.table} t WHERE t.owner_id = $1 AND t.id = k.id OFFSET 0`;
  const from = ofOneOwner
    ? `FROM unnest($2::bigint[]) k (id) CROSS JOIN LATERAL (${ofOwner}) t LIMIT ${MAX_ROWS}`
    : `FROM ${rows.table} t WHERE t.id = ANY ($1::bigint[]) LIMIT ${MAX_ROWS}`;
  return { ofOneOwner, octets: rows.view.octets, text: FORMATS[mediaType].lines(rows, from, form) };
}
