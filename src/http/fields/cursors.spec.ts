import { Cursors, type Mark } from './cursors.js';

const OLD = 'the-old-secret-of-these-tests-0123456789';
const NEW = 'the-new-secret-of-these-tests-0123456789';
const MARK: Mark = { page: 5000, total: 200_000, position: ['2026-01-15 10:30:00+00', null, 'a"\\😀', '7'] };

function cursorsOf(secret: string, previousSecret?: string): Cursors {
  return new Cursors({ jwt: { secret, previousSecret, lifetime: 1 } });
}

describe('cursors', () => {
  it('are read as they were written, for the same list alone', () => {
    const cursors = cursorsOf(NEW);
    const cursor = cursors.write('a list', MARK);
    expect(cursor).toMatch(/^[\w-]+$/);
    expect(cursors.read('a list', cursor)).toEqual(MARK);
    expect(cursors.read('another list', cursor)).toBeUndefined();
    expect(cursors.read('', cursor)).toBeUndefined();
  });

  it('are read with the previous secret, and written with the present one', () => {
    const [before, between, after] = [cursorsOf(OLD), cursorsOf(NEW, OLD), cursorsOf(NEW)];
    const cursor = before.write('a list', MARK);
    expect(between.read('a list', cursor)).toEqual(MARK);
    expect(after.read('a list', cursor)).toBeUndefined();
    expect(after.read('a list', between.write('a list', MARK))).toEqual(MARK);
  });

  it.each(['', 'A', 'AAAAAAAAAAAAAAAAAAAAAA', 'W10', '!'])('are not %j', (cursor) => {
    expect(cursorsOf(NEW).read('a list', cursor)).toBeUndefined();
  });

  it('are no others when they decode to the same octets', () => {
    const cursors = cursorsOf(NEW);
    const cursor = cursors.write('a list', { ...MARK, position: ['7'] });
    expect(cursors.read('a list', `${cursor}=`)).toBeUndefined();
    expect(cursors.read('a list', `${cursor.slice(0, 4)}\n${cursor.slice(4)}`)).toBeUndefined();
  });
});
