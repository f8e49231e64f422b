import { batched } from './batch.js';

const turn = (): Promise<void> => new Promise(setImmediate);

/** Look-ups one by one that end when they are told to, and the keys of each statement. */
function lookUps() {
  const statements: { keys: readonly string[]; end: () => void }[] = [];
  const load = (keys: readonly string[]): Promise<string[]> =>
    new Promise((resolve, reject) => {
      const rows = keys.map((key) => `row ${key}`);
      const end = (): void => (keys.includes('broken') ? reject(new Error('no database')) : resolve(rows));
      statements.push({ keys, end });
    });
  const batch = batched(load, { oneByOne: true });
  return { batch, statements, asked: (): unknown[] => statements.map(({ keys }) => keys) };
}

it('look-ups one by one wait for the statement before, and share the next', async () => {
  const { batch, statements, asked } = lookUps();
  const found: Promise<unknown>[] = [];
  for (const key of ['1', '2', '3']) {
    found.push(batch.load(key));
    await turn();
  }
  expect(asked()).toEqual([['1']]);
  statements[0]!.end();
  await turn();
  expect(asked()).toEqual([['1'], ['2', '3']]);
  statements[1]!.end();
  expect(await Promise.all(found)).toEqual(['row 1', 'row 2', 'row 3']);
});

it('look-ups that wait for a statement fail with it, and later ones ask anew', async () => {
  const { batch, statements, asked } = lookUps();
  const failed = [batch.load('broken'), turn().then(() => batch.load('2'))];
  await turn();
  await turn();
  statements[0]!.end();
  for (const result of await Promise.allSettled(failed))
    expect(result).toMatchObject({ status: 'rejected', reason: { message: 'no database' } });
  const found = batch.load('3');
  await turn();
  await turn();
  expect(asked()).toEqual([['broken'], ['3']]);
  statements[1]!.end();
  expect(await found).toBe('row 3');
});
