import { batched } from './batch.js';

const turn = (): Promise<void> => new Promise(setImmediate);

/** Look-ups that end when they are told to, and the keys of each statement. */
function lookUps(options: { atMost?: number; oneByOne?: boolean }) {
  const statements: { keys: readonly string[]; end: () => void }[] = [];
  const batch = batched(
    (keys: readonly string[]) =>
      new Promise<string[]>((resolve, reject) => {
        const rows = keys.map((key) => `row ${key}`);
        const end = (): void => (keys.includes('broken') ? reject(new Error('no database')) : resolve(rows));
        statements.push({ keys, end });
      }),
    options,
  );
  const asked = (): unknown[] => statements.map(({ keys }) => keys);
  return { batch, statements, asked };
}

it('look-ups of one turn of the event loop share statements of a limited size; later ones ask anew', async () => {
  const { batch, statements, asked } = lookUps({ atMost: 2 });
  const found = ['1', '2', '3'].map((key) => batch.load(key));
  await turn();
  expect(asked()).toEqual([['1', '2'], ['3']]);
  found.push(batch.load('1'));
  await turn();
  expect(asked()).toEqual([['1', '2'], ['3'], ['1']]);
  for (const { end } of statements) end();
  expect(await Promise.all(found)).toEqual(['row 1', 'row 2', 'row 3', 'row 1']);
});

it('look-ups one by one wait for the statement before, and share the next', async () => {
  const { batch, statements, asked } = lookUps({ oneByOne: true });
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
  const { batch, statements, asked } = lookUps({ oneByOne: true });
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
