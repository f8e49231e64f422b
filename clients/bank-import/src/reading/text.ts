import { Refusal } from '../faults.js';

/** A file's text. One in another encoding than the given is refused rather than garbled. */
export function textOf(file: string, bytes: Uint8Array, given: string | undefined): string {
  const start = Buffer.from(bytes.subarray(0, 1000)).toString('latin1');
  if (/^(PK\p{Cc}\p{Cc}|\xd0\xcf\p{Cc}\xe0)/u.test(start))
    throw new Refusal(`${file} is a workbook of a spreadsheet: save it as CSV there`);
  const isWestern = /\bCHARSET:1252\b|encoding="(windows-1252|iso-8859-1)"/i.test(start);
  const encoding = given ?? wideEncoding(start) ?? (isWestern ? 'windows-1252' : 'utf-8');
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    if (!text.includes('\0')) return text;
  } catch (error) {
    if (error instanceof RangeError) throw new Refusal(`"encoding": "${encoding}" is not known`, 2);
    if (!(error instanceof TypeError)) throw error;
  }
  throw new Refusal(`${file} is not ${encoding}: "encoding" in the rules names another`);
}

/** UTF-16 begins with its mark, or has a zero in every other byte. */
function wideEncoding(start: string): string | undefined {
  if (/^(\xff\xfe|([^\0]\0){4})/.test(start)) return 'utf-16le';
  return /^(\xfe\xff|(\0[^\0]){4})/.test(start) ? 'utf-16be' : undefined;
}
