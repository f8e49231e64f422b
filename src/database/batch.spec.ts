import { batched } from './batch.js';

const turn = (): Promise<void> => new Promise(setImmediate);

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
  const load = (...keys: string[]): Promise<unknown> => Promise.all(keys.map((key) => batch.load(key)));
  beforeEach(() => asked.splice(0));

  it('of one turn of the event loop ask once, and each gets its own row', async () => {
    expect(await load('1', '2', 'gone')).toEqual(['row 1', 'row 2', undefined]);
    expect(asked).toEqual([['1', '2', 'gone']]);
  });

  it('of more keys than one statement takes ask again', async () => {
    await load('1', '2', '3', '4', '5');
    expect(asked).toEqual([['1', '2', '3', '4'], ['5']]);
  });

  it('of a later turn ask anew, also while the first statement is on its way', async () => {
    const first = load('1');
    await turn();
    await Promise.all([first, load('1')]);
    await load('1');
    expect(asked).toEqual([['1'], ['1'], ['1']]);
  });

  it('fail together, and the next ones do not', async () => {
    const outcomes = await Promise.allSettled([load('1'), load('broken')]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await load('1')).toEqual(['row 1']);
  });
});

it('look-ups one by one wait for the statement before, and those that came meanwhile share the next', async () => {
  const statements: { keys: readonly number[]; end: () => void }[] = [];
  const lookUp = (keys: readonly number[]): Promise<readonly number[]> =>
    new Promise((resolve) => statements.push({ keys, end: () => resolve(keys) }));
  const batch = batched(lookUp, { oneByOne: true });
  const found: Promise<unknown>[] = [];
  for (const key of [1, 2, 3]) {
    found.push(batch.load(key));
    await turn();
  }
  expect(statements.map(({ keys }) => keys)).toEqual([[1]]);
  statements[0]!.end();
  await turn();
  expect(statements.map(({ keys }) => keys)).toEqual([[1], [2, 3]]);
  statements[1]!.end();
  expect(await Promise.all(found)).toEqual([1, 2, 3]);
});
