import { isWorthAnotherTry, missedCriteria, type Outcome, type Try, verdictOf } from './faults/outcome.js';
import type { Criterion } from './faults/protocol.js';
import { outcomeTable } from './faults/report.js';
import { allSucceedFrom, criterion, failuresAreProblems, timing } from './faults/support/criteria.js';
import type { Reply } from './faults/support/http.js';

const late = timing('ready ≤ 5 s', false, '6 s');
const soon = timing('ready ≤ 5 s', true, '1 s');
const lost = criterion('ledger: acknowledged writes are stored', false, '1 missing');
const kept = criterion('ledger: acknowledged writes are stored', true, '0 missing');

const attempt = (...criteria: Criterion[]): Try => ({ seconds: 1, stall: 0, criteria });
const outcome = (...tries: Try[]): Outcome => ({ name: 'crash', title: 'a crash', tries });

describe('a fault protocol', () => {
  it.each([
    ['is not repeated when it is met', attempt(soon, kept), false],
    ['is repeated when nothing but a time was missed', attempt(late, kept), true],
    ['is not repeated when a row was lost', attempt(soon, lost), false],
    ['is not repeated when a row was lost and a time missed', attempt(late, lost), false],
  ])('%s', (_, first, expected) => expect(isWorthAnotherTry(first)).toBe(expected));

  it.each([
    ['met at the first try', [attempt(soon, kept)], 'met', 0],
    ['missed', [attempt(late, kept)], 'missed', 1],
    ['met by the times of the second try', [attempt(late, kept), attempt(soon, kept)], 'met', 0],
    ['missed for good', [attempt(late, kept), attempt(late, kept)], 'missed', 1],
    ['missed for a row lost in the first try', [attempt(late, lost), attempt(soon, kept)], 'missed', 1],
    ['missed for a row lost in the second try', [attempt(late, kept), attempt(soon, lost)], 'missed', 1],
  ])('is %s', (_, tries, verdict, missed) => {
    expect(verdictOf(outcome(...tries))).toBe(verdict);
    expect(missedCriteria(outcome(...tries))).toHaveLength(missed);
  });

  it('is not met when it was skipped, and every try is in the report', () => {
    const skipped: Outcome = { ...outcome(), name: 'disk-full', skipped: 'it asks for root' };
    expect(verdictOf(skipped)).toBe('skipped');
    expect(outcomeTable([outcome(attempt(late, kept), attempt(soon, kept)), skipped])).toBe(
      '\ncrash                   PASS  1 of 2 in 1 s       and then 2 of 2 in 1 s\n' +
        'disk-full               SKIP  it asks for root\n' +
        '1 of 2 protocols met, 0 missed, 1 skipped\n',
    );
  });
});

describe('a request that fails', () => {
  const reply = (status: number, faults: readonly string[] = []): Reply => ({
    method: 'GET',
    path: '/api/transactions',
    status,
    headers: {},
    text: '',
    reused: false,
    sentAt: 1,
    took: 10,
    faults,
  });

  it.each([
    ['with a 503 may be late', reply(503), true],
    ['with anything else is no matter of time', reply(500, ['status 500']), false],
  ])('%s', (_, failed, isTiming) => {
    const { passed, isTiming: found = false } = allSucceedFrom('all', [reply(200), failed], 0);
    expect({ passed, found }).toEqual({ passed: false, found: isTiming });
  });

  it('is held to the form of a problem apart from its time', () => {
    const [form, time] = failuresAreProblems([reply(500, ['status 500'])], 5);
    expect(form).toMatchObject({ passed: false });
    expect(form?.isTiming).toBeUndefined();
    expect(time).toMatchObject({ passed: false, isTiming: true });
  });
});
