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

/** The resources of the overlay, by kind, with the pod that the Deployment's controller would make. */
async function render(): Promise<Map<string, string>> {
  const rendered = await run('kubectl', ['kustomize', OVERLAY]);
  const resources = loadAll(rendered) as { kind: string; spec: { template: object } }[];
  const deployment = resources.find(({ kind }) => kind === 'Deployment');
  const pod = { apiVersion: 'v1', kind: 'Pod', ...deployment?.spec.template, metadata: POD };
  return new Map([...resources, pod].map((resource) => [resource.kind, dump(resource)]));
}

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
    const resources = await render();
    for (const input of [await definitions(), resources.get('Namespace') ?? '', ACCOUNT])
      await run('kubectl', apply, { input });
    const dryRun = [...apply, '--dry-run=server', '--warnings-as-errors'];
    const complaint = async (input: string): Promise<string> =>
      run('kubectl', dryRun, { input }).then(() => '', String);
    const found = await complaint([...resources.values()].join('---\n'));
    tell([none(`complaint about ${resources.size} resources`, found === '' ? [] : [found])]);
    const asRoot = resources.get('Pod')!.replace('runAsNonRoot: true', 'runAsNonRoot: false');
    const refusal = await complaint(asRoot);
    const isRestricted = refusal.includes('violates PodSecurity "restricted');
    tell([criterion('a pod with more rights is refused', isRestricted, refusal.slice(-160) || 'accepted')]);
  },
});
