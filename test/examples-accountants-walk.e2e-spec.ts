import { readFileSync } from 'node:fs';
import { type Run, scriptFile, scriptUser } from './support/examples/script.js';
import { type Service, startService } from './support/service.js';

// What it prints at first: examples/README.md, whose commands test/examples-snippets.e2e-spec.ts runs.
describe('accountants-walk.mjs', () => {
  let service: Service;
  let walk: (...args: string[]) => Promise<Run>;

  beforeAll(async () => (service = await startService()));
  beforeEach(async () => {
    const [, run] = await scriptUser(service, 'accountants-walk.mjs');
    walk = (...args) => run(args);
  });

  it('imports nothing twice, reports the same year of the time zone again, and adds the file up', async () => {
    const file = scriptFile('');
    const options = ['--out', file, '--time-zone', 'America/New_York'];
    const { out: first } = await walk(...options);
    expect(first).toMatch(
      /\nTotal +3,816\.09 [^]*\n21 Net +3649\.08\n[^]*\nThat is what the report says\.\n$/,
    );
    const [last] = await service.sql('SELECT max(date) AS date FROM transactions');
    expect(last).toEqual({ date: new Date('2026-01-05T05:00:00Z') });
    const out = first.replaceAll(/csv: (\d) new, 0 there already/g, 'csv: 0 new, $1 there already');
    const again = await walk(...options);
    const told = again.out.replaceAll(/there already: (\d) lines .*/g, '$1 there already');
    expect({ ...again, out: told }).toEqual({ code: 0, out, err: '' });
    expect(readFileSync(file, 'utf8').trimEnd().split('\r\n')).toHaveLength(10);

    await service.sql(`UPDATE transactions SET status = 'DISPUTED' WHERE description LIKE 'Linen%'`);
    const { code, out: other } = await walk(...options);
    expect(code).toBe(1);
    expect(other).toMatch(
      /\n8 .* income 3816\.09, expenses 109\.01\.\nThat is not what the report says\.\n$/,
    );
  });

  it.each<[string, string[], RegExp]>([
    ['a folder that is missing', ['--out', '/none/ledger.csv'], /^--out: ENOENT: no such file .*'$/m],
    ['no file', [], /^--out FILE\.csv is missing$/m],
  ])('refuses %s before anything is imported', async (_, args, message) => {
    const { code, out, err } = await walk(...args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toMatch(message);
  });
});
