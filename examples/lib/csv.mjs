/** Comma-separated values as RFC 4180 has them. */

/** A text that cannot be read as a whole. */
export class CsvError extends Error {}

/**
 * The records of the text, each with the number of its first line. A field in quotes may hold separators, line breaks
 * and doubled quotes; lines may end in CR LF, LF or CR; empty lines count, but are no records.
 */
export function* readCsv(text, separator) {
  const mark = `\\x${separator.charCodeAt(0).toString(16).padStart(2, '0')}`;
  const quotedField = '"([^"]*(?:""[^"]*)*)"';
  const plainField = `([^"\\r\\n${mark}][^\\r\\n${mark}]*)?`;
  const field = new RegExp(`(?:${quotedField}|${plainField})(${mark}|\\r\\n|\\n|\\r|$)`, 'y');
  let fields = [];
  let line = 1;
  let first = 1;
  while (field.lastIndex < text.length || fields.length > 0) {
    const match = field.exec(text);
    if (match === null) throw new CsvError(`line ${line}: a quoted field has no end`);
    const [whole, quoted, plain = '', end] = match;
    fields.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    line += whole.split(/\r\n|\n|\r/).length - 1;
    if (end === separator) continue;
    if (fields.length > 1 || fields[0] !== '') yield { line: first, fields };
    fields = [];
    first = line;
  }
}
