import { batchLoader } from './batch-loader.js';

const turn = (): Promise<void> => new Promise(setImmediate);

/** Look-ups one by one that end when they are told to, and the keys of each statement. */
function lookUps() {
  const statements: { keys: readonly string[]; end: () => void }[] = [];
  const load = (keys: readonly string[]): Promise<{ id: string }[]> =>
    new Promise((resolve, reject) => {
      const rows = keys.map((id) => ({ id }));
      const end = (): void => (keys.includes('broken') ? reject(new Error('no database')) : resolve(rows));
      statements.push({ keys, end });
    });
  const batch = batchLoader(load);
  return { batch, statements, keys: (): unknown[] => statements.map(({ keys }) => keys) };
}

it('look-ups one by one wait for the statement before, also a failed one, and share the next', async () => {
  const { batch, statements, keys } = lookUps();
  const found: Promise<unknown>[] = [];
  for (const key of ['broken', '2', '3']) {
    found.push(batch.load(key));
    await turn();
  }
  expect(keys()).toEqual([['broken']]);
  statements[0]!.end();
  await expect(found[0]).rejects.toThrow('no database');
  await turn();
  expect(keys()).toEqual([['broken'], ['2', '3']]);
  statements[1]!.end();
  expect(await Promise.all(found.slice(1))).toEqual([{ id: '2' }, { id: '3' }]);
});

it('look-ups one by one have at most 64 keys in a statement', async () => {
  const { batch, statements } = lookUps();
  for (let key = 0; key < 100; key++) void batch.load(String(key));
  await turn();
  statements[0]!.end();
  await turn();
  expect(statements.map(({ keys }) => keys.length)).toEqual([64, 36]);
});
