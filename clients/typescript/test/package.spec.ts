import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startService } from '../../../test/support/service.js';
import { tour } from '../examples/tour.js';

const folder = join(__dirname, '..');
const read = (path: string): string => readFileSync(path, 'utf8');

interface Manifest {
  readonly version: string;
  readonly engines: { readonly node: string };
  readonly dependencies: Record<string, string>;
  readonly devDependencies: Record<string, string>;
}

describe('the README of the typed client', () => {
  const blocks = [...read(join(folder, 'README.md')).matchAll(/^```ts\n(.*?)^```$/gms)].map(
    ([, code]) => code!,
  );

  it('shows code of the tour', () => {
    const tourCode = unbroken(read(join(folder, 'examples/tour.ts')));
    for (const block of blocks)
      expect(tourCode).toContain(unbroken(block.replace("'@property-finance/client'", "'../src/public.js'")));
    expect(blocks.length).toBeGreaterThan(6);
  });

  it('shows a tour that works', async () => {
    const service = await startService();
    const lines: string[] = [];
    await tour(service.url, 'ada', (line) => lines.push(line));
    expect(lines).toEqual([
      '1: 436.50',
      'ada has 1 transactions',
      '2026-03-14T15:00:00.000Z Three nights in March 436.50',
      'the largest income: Three nights in March',
      expect.stringMatching(/^the file has \d{3,4} bytes$/),
      'Harbour Loft, 2026-03: 436.50',
      '2026: 436.50 - 0.00 = 436.50',
      'line 3, Rents received: 436.50',
      'overdue: 0.00',
      'Harbour Loft stays: The property has transactions: delete or move them first.',
      'maxGuests must be a whole number from 1 to 100',
    ]);
    const [row] = await service.sql('SELECT status, tags FROM transactions');
    expect(row).toEqual({ status: 'PAID', tags: ['spring'] });
  });
});

describe('the package of the typed client', () => {
  it('has the version of the service, and the dependencies of its tests', () => {
    const service = JSON.parse(read('package.json')) as Manifest;
    const client = JSON.parse(read(join(folder, 'package.json'))) as Manifest;
    expect([client.version, client.engines.node]).toEqual([service.version, service.engines.node]);
    expect(Object.keys(client.dependencies)).toEqual(['lossless-json', 'openapi-fetch']);
    expect(service.devDependencies).toMatchObject(client.dependencies);
  });

  it('imports its own files and its dependencies alone, so that it runs in browsers', () => {
    const { dependencies } = JSON.parse(read(join(folder, 'package.json'))) as Manifest;
    const sources = readdirSync(join(folder, 'src'), { recursive: true, encoding: 'utf8' });
    const imported = sources
      .filter((name) => name.endsWith('.ts'))
      .flatMap((name) => [...read(join(folder, 'src', name)).matchAll(/^[^*]*\bfrom '([^'.][^']*)';$/gm)])
      .map(([, name]) => name!);
    expect(new Set(imported)).toEqual(new Set(Object.keys(dependencies)));
  });
});

/** The README has less indentation, so its lines break elsewhere. */
function unbroken(code: string): string {
  return code.replace(/\s+/g, '').replace(/,([)\]}])/g, '$1');
}
