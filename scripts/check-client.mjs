// npm run client:check: what only packages that are made and installed can show.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './lib/project.mjs';

/** What the packages need, and what that needs: npm is given it, so that it asks no registry. */
const DEPENDENCIES = [
  'commander',
  'csv-parse',
  'lossless-json',
  'openapi-fetch',
  'openapi-typescript-helpers',
  'sax',
];
const CONTENT = 'LICENSE,README.md,dist,package.json';

const CONSUMER = `
import { createClient, isProblem, type PropertyResponse, UnexpectedResponseError } from '@property-finance/client';
const fetch = () => Promise.resolve(new Response('{"id":9007199254740993,"basePrice":1.10}', {
  headers: { 'content-type': 'application/json', etag: '"0"' },
}));
const client = createClient({ baseUrl: 'http://localhost', fetch });
const { data }: { data: PropertyResponse } = await client.properties.get(1n);
const price: string = data.basePrice;
if (data.id !== '9007199254740993' || price !== '1.10') throw new Error(JSON.stringify(data));
if (isProblem(undefined, 'not-found') || UnexpectedResponseError.name === '') throw new Error('wrong');
// @ts-expect-error -- the types arrive, too
() => client.properties.get({});
`;

const folder = mkdtempSync(join(tmpdir(), 'property-finance-client-'));
process.on('exit', () => rmSync(folder, { recursive: true }));

run(root, process.execPath, 'scripts/client-types.mjs', '--check');

const pack = ['pack', '--silent', '--pack-destination', folder];
run(root, 'npm', ...pack, './clients/typescript', './clients/bank-import'); // builds them
run(root, 'npm', ...pack, '--ignore-scripts', ...DEPENDENCIES.map((name) => `./node_modules/${name}`));
const packages = readdirSync(folder).map((name) => `./${name}`);
writeFileSync(join(folder, 'package.json'), '{"name":"empty","type":"module"}');
run(folder, 'npm', 'install', '--offline', '--no-audit', '--no-fund', '--ignore-scripts', ...packages);
const installed = join(folder, 'node_modules/@property-finance/client');
const content = readdirSync(installed).sort().join();
if (content !== CONTENT) fail(`The package has ${content} in it, and should have ${CONTENT}`);
const [, link] = /\]\(((?!https:)[^)]+)\)/.exec(readFileSync(join(installed, 'README.md'), 'utf8')) ?? [];
if (link !== undefined) fail(`Its README leads to ${link}, which is not in the package`);

writeFileSync(join(folder, 'consumer.ts'), CONSUMER);
const types = ['--types', 'node', '--typeRoots', join(root, 'node_modules/@types')];
const options = ['--strict', '--module', 'nodenext', '--target', 'es2023', '--lib', 'es2023', ...types];
run(folder, process.execPath, join(root, 'node_modules/typescript/bin/tsc'), ...options, 'consumer.ts');
run(folder, process.execPath, 'consumer.js');
run(folder, join(folder, 'node_modules/.bin/bank-import'), '--help');

function run(cwd, command, ...args) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (status !== 0) fail(`${command} ${args.join(' ')}: exit code ${status}\n${stdout}${stderr}`);
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
