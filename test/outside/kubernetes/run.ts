import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dump, loadAll } from 'js-yaml';
import { print, progress } from '../../../bench/command.js';
import type { Criterion } from '../../faults/protocol.js';
import { cache, runCriteria } from '../../faults/support/command.js';
import { criterion } from '../../faults/support/criteria.js';
import { time } from '../../faults/support/figures.js';
import { Commands, type Need } from '../../support/commands.js';
import type { Resource } from '../../support/kubernetes-types.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { ApiServer, buildApiServer, goModule } from './api-server.js';
import { MISTAKES, type Mistake } from './mistakes.js';

const OVERLAY = 'deploy/kubernetes/overlays/example';
const OPERATOR = 'github.com/prometheus-operator/prometheus-operator@v0.85.0';
const CRDS = ['servicemonitors', 'prometheusrules'];
const NEEDS: readonly Need[] = [
  ['go', 'version'],
  ['etcd', '--version'],
  ['kubectl', 'version', '--client'],
];
const HINT = "Go 1.26 and kubectl come from their projects, etcd from Debian's etcd-server.";
/** Which a controller makes in every namespace. */
const ACCOUNT = dump({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name: 'default', namespace: 'property-finance' },
});
const APPLY = ['apply', '--server-side', '--validate=strict', '-f', '-'];
const DRY_RUN = [...APPLY, '--dry-run=server'];

/** The definitions of the Prometheus Operator's resources, as its module has them. */
async function definitions(commands: Commands): Promise<string> {
  const { Dir } = await goModule(commands, OPERATOR);
  const file = (name: string): string => `example/prometheus-operator-crd/monitoring.coreos.com_${name}.yaml`;
  return CRDS.map((name) => readFileSync(join(Dir, file(name)), 'utf8')).join('\n---\n');
}

/** What kustomize makes of the overlay; and the pods, which the Deployment's and the Job's controllers would make. */
async function render(commands: Commands): Promise<Map<string, string>> {
  const rendered = await commands.run('kubectl', ['kustomize', OVERLAY], { cwd: '.' });
  const resources = loadAll(rendered) as (Resource & { metadata: object; spec: { template: object } })[];
  const [deployment] = resources.filter(({ kind }) => kind === 'Deployment');
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    ...deployment?.spec.template,
    metadata: { name: 'property-finance', namespace: 'property-finance' },
  };
  return new Map([...resources, pod].map((resource) => [resource.kind, dump(resource)]));
}

async function accepted(server: ApiServer, resources: ReadonlyMap<string, string>): Promise<Criterion> {
  const { ok, said } = await server.kubectl(DRY_RUN, [...resources.values()].join('---\n'));
  const isClean = ok && !/warning/i.test(said);
  const name = `all ${resources.size} resources are accepted, without a warning`;
  return criterion(name, isClean, isClean ? 'they are' : said);
}

async function refused(
  server: ApiServer,
  resources: ReadonlyMap<string, string>,
  { name, kind, from, to, refusal }: Mistake,
): Promise<Criterion> {
  const right = resources.get(kind) ?? '';
  const wrong = right.replace(from, to);
  if (wrong === right) throw new Error(`there is nothing to plant ${name} in:\n${right}`);
  const { ok, said } = await server.kubectl(DRY_RUN, wrong);
  const told = said.trim().split('\n').at(-1)?.slice(0, 160) ?? '';
  return criterion(`refused: ${name}`, !ok && refusal.test(said), told);
}

await runCriteria({
  call: 'npm run test:kubernetes',
  about:
    'Applies deploy/kubernetes/overlays/example to a real API server, in a dry run of the server with every admission ' +
    'that it has, and shows that mistakes which are planted in it are refused. The server is built from the Go module ' +
    'proxy: five minutes of a processor and 2 GB the first time; after that it takes a quarter of a minute. Go 1.26, ' +
    'etcd and kubectl have to be there.',
  options: { cache: cache('kubernetes', 'the API server and what it is built of') },
  async run({ cache: kept }, cleanup, tell) {
    const folder = temporaryFolder(cleanup, 'kubernetes');
    const commands = new Commands(cleanup);
    await commands.require(NEEDS, HINT);
    progress('building kube-apiserver');
    const program = await buildApiServer(commands, kept);
    const server = await ApiServer.start(program, folder, cleanup);
    const resources = await render(commands);
    for (const made of [await definitions(commands), resources.get('Namespace') ?? '', ACCOUNT]) {
      const { ok, said } = await server.kubectl(APPLY, made);
      if (!ok) throw new Error(said);
    }
    tell([await accepted(server, resources)]);
    for (const mistake of MISTAKES) tell([await refused(server, resources, mistake)]);
    print(`The API server was ready after ${time(server.startTime)}.\n`);
  },
});
