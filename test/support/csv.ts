/** A cell of CSV. An empty one that is quoted is another than one that is not. */
export interface Cell {
  readonly text: string;
  readonly quoted: boolean;
}

/** The records of a file by the grammar of RFC 4180. Throws for any other file. */
export function parseCsv(file: string, separator = ','): Cell[][] {
  const records: Cell[][] = [];
  let record: Cell[] = [];
  const cell = new RegExp(`(?:"((?:[^"]|"")*)"|([^"${separator}\\r\\n]*))(${separator}|\\r\\n)`, 'gy');
  for (let end = 0; end < file.length; end = cell.lastIndex) {
    cell.lastIndex = end;
    const match = cell.exec(file);
    if (match === null) throw new Error(`no cell at ${end}: ${JSON.stringify(file.slice(end, end + 40))}`);
    const [, quoted, plain = '', behind] = match;
    record.push({ text: quoted?.replaceAll('""', '"') ?? plain, quoted: quoted !== undefined });
    if (behind === separator) continue;
    records.push(record);
    record = [];
  }
  if (record.length > 0) throw new Error('the last line has no end');
  return records;
}
