/** What all formats are read into: rows of cells under names. */
export interface Table {
  /** The names of the columns, folded; empty in a file without a line of names. */
  readonly names: readonly string[];
  readonly rows: readonly Row[];
  /** The rules that the format brings along: what its columns are, and which words say in and out. */
  readonly format?: Readonly<Record<string, unknown>>;
  readonly statements?: readonly AccountStatement[];
}

export interface Row {
  /** Of the file, or the number of an entry of a statement in XML. */
  readonly line: number;
  readonly cells: readonly string[];
  /** Why the line cannot be read, unless the rules take the direction from this column. */
  readonly fault?: string;
  readonly unlessBy?: Column;
}

/** What OFX and CAMT say of a whole statement. */
export interface AccountStatement {
  readonly account: string;
  readonly currency: string;
  readonly rows: readonly Row[];
  readonly opening?: string | undefined;
  readonly closing?: string | undefined;
  readonly day: string;
}

/** The name of a column, or its position from 1. */
export type Column = string | number;

/** Texts that look alike are equal: composed characters, single spaces. */
export function folded(text: string): string {
  return text.normalize('NFC').replace(/\s+/gu, ' ').trim();
}

/** Finds the cell of a column. A column that the file has not is empty. */
export function cellOf({ names }: Table, { cells }: Row, column: Column | undefined): string {
  if (column === undefined) return '';
  return cells[typeof column === 'number' ? column - 1 : names.indexOf(column)] ?? '';
}
