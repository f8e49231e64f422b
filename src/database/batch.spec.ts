import { batched } from './batch.js';

describe('look-ups that share a statement', () => {
  const asked: (readonly string[])[] = [];
  const batch = batched(
    (keys: readonly string[]) => {
      asked.push(keys);
      if (keys.includes('broken')) return Promise.reject(new Error('no database'));
      return Promise.resolve(keys.map((key) => (key === 'gone' ? undefined : `row ${key}`)));
    },
    { atMost: 4 },
  );
  beforeEach(() => asked.splice(0));

  it('ask once for all that come in the same turn', async () => {
    const found = await Promise.all(['1', '2', 'gone'].map((key) => batch.load(key)));
    expect({ found, asked }).toEqual({ found: ['row 1', 'row 2', undefined], asked: [['1', '2', 'gone']] });
  });

  it('ask for no more at once than is allowed', async () => {
    await Promise.all(['1', '2', '3', '4', '5'].map((key) => batch.load(key)));
    expect(asked).toEqual([['1', '2', '3', '4'], ['5']]);
  });

  it('ask anew in the next turn, because what was found may have changed', async () => {
    await batch.load('1');
    await batch.load('1');
    expect(asked).toEqual([['1'], ['1']]);
  });

  it('do not join a statement that is already on its way', async () => {
    const first = batch.load('1');
    await new Promise(setImmediate);
    const second = batch.load('1');
    await Promise.all([first, second]);
    expect(asked).toEqual([['1'], ['1']]);
  });

  it('wait for the statement before and come together, where there is one connection for them', async () => {
    const statements: { keys: readonly number[]; end: () => void }[] = [];
    const lookUp = (keys: readonly number[]): Promise<readonly number[]> =>
      new Promise((resolve) => statements.push({ keys, end: () => resolve(keys) }));
    const one = batched(lookUp, { oneByOne: true });
    const turn = (): Promise<void> => new Promise(setImmediate);
    const found = [one.load(1)];
    await turn();
    for (const key of [2, 3]) {
      found.push(one.load(key));
      await turn();
    }
    expect(statements.map(({ keys }) => keys)).toEqual([[1]]);
    statements[0]!.end();
    await turn();
    expect(statements.map(({ keys }) => keys)).toEqual([[1], [2, 3]]);
    statements[1]!.end();
    expect(await Promise.all(found)).toEqual([1, 2, 3]);
  });

  it('fail together, and only those', async () => {
    const outcomes = await Promise.allSettled([batch.load('1'), batch.load('broken')]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await expect(batch.load('1')).resolves.toBe('row 1');
  });
});
