import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tour } from '../clients/typescript/examples/tour.js';
import { type Service, startService } from './support/service.js';

const root = join(__dirname, '..');
const folder = join(root, 'clients/typescript');
const read = (path: string): string => readFileSync(path, 'utf8');

/** Takes a second, beside what else is done here. */
const check = finished(spawn(process.execPath, ['scripts/client-types.mjs', '--check'], { cwd: root }));

/** What the client needs, and what that needs: npm is given it, so that it asks no registry. */
const DEPENDENCIES = ['lossless-json', 'openapi-fetch', 'openapi-typescript-helpers'];

const CONSUMER = `
import { createClient, isProblem, type PropertyResponse, UnexpectedAnswerError } from '@property-finance/client';
const fetch = () => Promise.resolve(new Response('{"id":9007199254740993,"basePrice":1.10}', {
  headers: { 'content-type': 'application/json', etag: '"0"' },
}));
const client = createClient({ baseUrl: 'http://localhost', fetch });
const { data }: { data: PropertyResponse } = await client.properties.get(1n);
const price: string = data.basePrice;
if (data.id !== '9007199254740993' || price !== '1.10') throw new Error(JSON.stringify(data));
if (isProblem(undefined, 'not-found') || UnexpectedAnswerError.name === '') throw new Error('wrong');
// @ts-expect-error -- the types arrive, too
() => client.properties.get({});
`;

interface Manifest {
  readonly version: string;
  readonly engines: { readonly node: string };
  readonly dependencies: Record<string, string>;
  readonly devDependencies: Record<string, string>;
}

describe('the README of the typed client', () => {
  let service: Service;

  beforeAll(async () => {
    service = await startService();
  });

  afterAll(() => service.stop());

  const blocks = [...read(join(folder, 'README.md')).matchAll(/^```ts\n(.*?)^```$/gms)].map(
    ([, code]) => code!,
  );

  it('shows code that is in the tour', () => {
    const tourCode = unbroken(read(join(folder, 'examples/tour.ts')));
    for (const block of blocks)
      expect(tourCode).toContain(unbroken(block.replace("'@property-finance/client'", "'../src/public.js'")));
    expect(blocks.length).toBeGreaterThan(6);
  });

  it('shows a tour that works', async () => {
    const lines: string[] = [];
    await tour(service.url, 'ada', (line) => lines.push(line));
    expect(lines).toEqual([
      '1: 436.50',
      'ada has 1 transactions',
      '2026-03-14T15:00:00.000Z Three nights in March 436.50',
      'the largest income: Three nights in March',
      'Harbour Loft stays: Transactions refer to this property: delete or move them first.',
      'maxGuests must be a whole number from 1 to 100',
    ]);
    const [row] = await service.sql('SELECT status, tags FROM transactions');
    expect(row).toEqual({ status: 'PAID', tags: ['spring'] });
  });
});

describe('the package of the typed client', () => {
  it('has the version of the service, and its dependencies in the versions that the tests run with', () => {
    const service = JSON.parse(read(join(root, 'package.json'))) as Manifest;
    const client = JSON.parse(read(join(folder, 'package.json'))) as Manifest;
    expect([client.version, client.engines.node]).toEqual([service.version, service.engines.node]);
    expect(Object.keys(client.dependencies)).toEqual(['lossless-json', 'openapi-fetch']);
    expect(service.devDependencies).toMatchObject(client.dependencies);
  });

  it('imports nothing but its own files and its dependencies, so that it runs in browsers', () => {
    const { dependencies } = JSON.parse(read(join(folder, 'package.json'))) as Manifest;
    const sources = readdirSync(join(folder, 'src'), { recursive: true, encoding: 'utf8' });
    const imported = sources
      .filter((name) => name.endsWith('.ts'))
      .flatMap((name) => [...read(join(folder, 'src', name)).matchAll(/^[^*]*\bfrom '([^'.][^']*)';$/gm)])
      .map(([, name]) => name!);
    expect(new Set(imported)).toEqual(new Set(Object.keys(dependencies)));
  });

  it('installs into an empty folder, offline, and runs and compiles there', async () => {
    const here = mkdtempSync(join(tmpdir(), 'property-finance-client-'));
    try {
      const pack = ['pack', '--pack-destination', here];
      await npm(root, ...pack, './clients/typescript'); // builds it
      await npm(root, ...pack, '--ignore-scripts', ...DEPENDENCIES.map((name) => `./node_modules/${name}`));
      const tarballs = readdirSync(here).filter((name) => name.endsWith('.tgz'));
      const quietly = ['--offline', '--no-audit', '--no-fund', '--ignore-scripts'];
      writeFileSync(join(here, 'package.json'), '{"name":"empty","type":"module"}');
      await npm(here, 'install', ...quietly, ...tarballs.map((name) => `./${name}`));
      const installed = join(here, 'node_modules/@property-finance/client');
      expect(readdirSync(installed).toSorted()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json']);
      for (const [, link] of read(join(installed, 'README.md')).matchAll(/\]\(([^)]+)\)/g))
        expect(link).toMatch(/^https:/); // every other one would have to be in the package

      writeFileSync(join(here, 'consumer.ts'), CONSUMER);
      const tsc = join(root, 'node_modules/typescript/bin/tsc');
      const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types')];
      const options = ['--strict', '--module', 'nodenext', '--target', 'es2023', '--lib', 'es2023', ...types];
      await succeed(process.execPath, [tsc, ...options, 'consumer.ts'], here);
      await succeed(process.execPath, ['consumer.js'], here);
    } finally {
      rmSync(here, { recursive: true });
    }
  }, 60_000);

  it('has the types that openapi.json gives', async () => {
    expect(await check).toEqual({ code: 0, errors: '' });
  });
});

function npm(folder: string, ...args: string[]): Promise<void> {
  return succeed('npm', args, folder);
}

async function succeed(command: string, args: string[], cwd: string): Promise<void> {
  const child = spawn(command, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${command} ${args.join(' ')}: exit code ${code}\n${output}`);
}

/** How a process has ended, and what it has complained of. */
async function finished(child: ChildProcess): Promise<{ code: number | null; errors: string }> {
  let errors = '';
  child.stderr?.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, errors };
}

/** The README's code stands further to the left, so that its lines may be broken elsewhere. */
function unbroken(code: string): string {
  return code.replace(/\s+/g, '').replace(/,([)\]}])/g, '$1');
}
