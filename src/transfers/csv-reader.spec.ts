import { Readable } from 'node:stream';
import { MAX_RECORD, readCsv } from './csv-reader.js';
import { FileText } from './file-text.js';

it('readCsv reads a record of the greatest length to its end, also when it comes in two parts', async () => {
  const begun = `"${'x'.repeat(MAX_RECORD - 4)}"`; // an escaped quote, of which the second half is missing
  const file = new FileText(Readable.from([`name\n${begun}`, '""\n'].map((part) => Buffer.from(part))));
  const records = [];
  for await (const record of readCsv(file, ',')) records.push(record);
  expect(records).toEqual([
    [1, ['name']],
    [2, [begun.slice(1)]],
  ]);
});

it.each([
  ['"', 'x'],
  ['"', '""'],
  ['"', '\n'],
  ['', 'x'],
])('readCsv reads a cell of a million characters in short steps: %s%j', async (quote, piece) => {
  const cell = piece.repeat(1_000_000 / piece.length);
  const file = new FileText(Readable.from([Buffer.from(`name\n${quote}${cell}${quote}\n`)]));
  const fills = jest.spyOn(file.turn, 'fills');
  const records = [];
  for await (const record of readCsv(file, ',')) records.push(record);
  expect(records).toEqual([
    [1, ['name']],
    [2, [cell.replaceAll('""', '"')]],
  ]);
  expect(fills.mock.calls.length).toBeGreaterThan(15);
  expect(Math.max(...fills.mock.calls.map(([, characters]) => characters))).toBeLessThan(64 * 1024);
});
