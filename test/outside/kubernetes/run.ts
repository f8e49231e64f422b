import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dump, loadAll } from 'js-yaml';
import { progress } from '../../../bench/command.js';
import { runCriteria } from '../../faults/support/command.js';
import { criterion, none } from '../../faults/support/criteria.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { cacheFolder, requirePrograms, run } from '../support/commands.js';
import { buildApiServer, goModule, startApiServer } from './api-server.js';

const OVERLAY = 'deploy/kubernetes/overlays/example';
const OPERATOR = 'github.com/prometheus-operator/prometheus-operator@v0.85.0';
const CRDS = ['servicemonitors', 'prometheusrules'];
const POD = { name: 'property-finance', namespace: 'property-finance' };
/** The account that a controller makes in every namespace. */
const ACCOUNT = dump({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { ...POD, name: 'default' } });

/** The definitions of the Prometheus Operator's resources, as its module has them. */
async function definitions(): Promise<string> {
  const { Dir } = await goModule(OPERATOR);
  const file = (name: string): string => `example/prometheus-operator-crd/monitoring.coreos.com_${name}.yaml`;
  return CRDS.map((name) => readFileSync(join(Dir, file(name)), 'utf8')).join('\n---\n');
}

/** A resource of the overlay. */
type Resource = Readonly<{ kind: string; spec: { template: object } }>;

await runCriteria({
  call: 'npm run test:kubernetes',
  about:
    'Applies deploy/kubernetes/overlays/example to a real API server, in a dry run of the server, whose namespace must ' +
    'refuse a pod with more rights. The first run builds the server from the Go module proxy, which takes five minutes of a ' +
    'processor and 2 GB. Needs Go 1.26, kubectl and etcd.',
  async run(_, cleanup, tell) {
    const hint = 'Debian has etcd as etcd-server; the others come from their projects.';
    requirePrograms(['go', 'kubectl', 'etcd'], hint);
    progress('building kube-apiserver');
    const server = await buildApiServer(cacheFolder('kubernetes'));
    const kubectl = await startApiServer(server, temporaryFolder(cleanup, 'kubernetes'), cleanup);
    const apply = [...kubectl, 'apply', '--server-side', '--validate=strict', '-f', '-'];
    const rendered = loadAll(await run('kubectl', ['kustomize', OVERLAY])) as Resource[];
    const of = (kind: string): Resource => rendered.find((resource) => resource.kind === kind)!;
    const pod = dump({ apiVersion: 'v1', kind: 'Pod', ...of('Deployment').spec.template, metadata: POD });
    for (const input of [await definitions(), dump(of('Namespace')), ACCOUNT])
      await run('kubectl', apply, { input });
    const dryRun = [...apply, '--dry-run=server', '--warnings-as-errors'];
    const complaint = async (input: string): Promise<string> =>
      run('kubectl', dryRun, { input }).then(() => '', String);
    const resources = [...rendered.map((resource) => dump(resource)), pod];
    const found = await complaint(resources.join('---\n'));
    tell([none(`complaint about ${resources.length} resources`, found === '' ? [] : [found])]);
    const asRoot = pod.replace('runAsNonRoot: true', 'runAsNonRoot: false');
    const refusal = await complaint(asRoot);
    const isRestricted = refusal.includes('violates PodSecurity "restricted');
    tell([criterion('a pod with more rights is refused', isRestricted, refusal.slice(-160) || 'accepted')]);
  },
});
