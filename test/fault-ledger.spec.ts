import type { Reply } from './faults/support/http.js';
import { Ledger } from './faults/support/ledger.js';
import { WRONG_TOTALS } from './support/totals.js';

it.each([
  ['are those of the book', ['marker-1'], 0, undefined],
  ['lack an acknowledged one', [], 0, 'acknowledged writes are stored'],
  ['hold one of nobody', ['marker-1', 'other'], 0, 'every row was attempted'],
  ['hold one twice', ['marker-1', 'marker-1'], 0, 'no row twice'],
  ['hold a refused one', ['marker-1', 'marker-2'], 0, 'nothing refused or deleted is stored'],
  ['hold a deleted one', ['marker-1', 'marker-3'], 0, 'nothing refused or deleted is stored'],
  ['differ from their totals', ['marker-1'], 1, 'totals are the real counts'],
])('the ledger of a fault protocol judges rows that %s', async (_, markers, wrong, missed) => {
  const ledger = new Ledger();
  const answer = (status: number) => () => Promise.resolve({ status } as Reply);
  for (const status of [200, 400, 200, 503]) await ledger.create(answer(status));
  await ledger.delete('marker-3', answer(200));
  const rows = markers.map((marker) => ({ marker }));
  const totals = Array.from({ length: wrong });
  const criteria = await ledger.check((text) =>
    Promise.resolve((text === WRONG_TOTALS ? totals : rows) as never),
  );
  const found = criteria.filter(({ passed }) => !passed).map(({ name }) => name);
  expect(found).toEqual(missed === undefined ? [] : [`ledger: ${missed}`]);
});
