import { isWorthAnotherTry, type Try, verdictOf } from './faults/outcome.js';
import { criterion, timing } from './faults/support/criteria.js';
import type { Reply } from './faults/support/http.js';
import { Ledger } from './faults/support/ledger.js';
import { WRONG_TOTALS } from './support/totals.js';

const attempt = (isInTime: boolean, isKept: boolean): Try => ({
  seconds: 1,
  criteria: [timing('ready ≤ 5 s', isInTime, ''), criterion('writes are stored', isKept, '')],
});

it.each([
  ['met', [attempt(true, true)], false, 'PASS'],
  ['late', [attempt(false, true)], true, 'MISS'],
  ['late, then met', [attempt(false, true), attempt(true, true)], true, 'PASS'],
  ['late twice', [attempt(false, true), attempt(false, true)], true, 'MISS'],
  ['a row lost', [attempt(true, false)], false, 'MISS'],
  ['a row lost and late, then met', [attempt(false, false), attempt(true, true)], false, 'MISS'],
  ['late, then a row lost', [attempt(false, true), attempt(true, false)], true, 'MISS'],
])('a fault protocol that was %s is judged by its rows and its last times', (_, tries, again, verdict) => {
  expect([isWorthAnotherTry(tries[0]!), verdictOf({ name: 'crash', tries })]).toEqual([again, verdict]);
});

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
