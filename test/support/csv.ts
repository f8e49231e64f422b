/** A cell of CSV. An empty one that is quoted is another than one that is not. */
export interface Cell {
  readonly text: string;
  readonly quoted: boolean;
}

/** The records of a file as RFC 4180 has it, by its grammar and nothing else. Throws where it is no such file. */
export function parseCsv(file: string): Cell[][] {
  const records: Cell[][] = [];
  let record: Cell[] = [];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy;
  for (let end = 0; end < file.length; end = cell.lastIndex) {
    cell.lastIndex = end;
    const match = cell.exec(file);
    if (match === null) throw new Error(`no cell at ${end}: ${JSON.stringify(file.slice(end, end + 40))}`);
    const [, quoted, plain = '', behind] = match;
    record.push({ text: quoted?.replaceAll('""', '"') ?? plain, quoted: quoted !== undefined });
    if (behind === ',') continue;
    records.push(record);
    record = [];
  }
  if (record.length > 0) throw new Error('the last line has no end');
  return records;
}
