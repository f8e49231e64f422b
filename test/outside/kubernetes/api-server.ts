import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Cleanup } from '../../../bench/cleanup.js';
import { freePort } from '../../../bench/launch.js';
import { Program } from '../../support/program.js';
import { run, succeeds } from '../support/commands.js';
import { startEtcd } from '../support/etcd.js';

const KUBERNETES = 'v1.36.3';

const MAIN = `package main

import (
	"os"

	"k8s.io/component-base/cli"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
)

func main() { os.Exit(cli.Run(app.NewAPIServerCommand())) }
`;

/** Builds kube-apiserver from the Go module proxy, unless the cache has it. */
export async function buildApiServer(cache: string): Promise<string> {
  const program = join(cache, `kube-apiserver-${KUBERNETES}`);
  if (existsSync(program)) return program;
  const cwd = join(cache, 'build');
  mkdirSync(cwd, { recursive: true });
  const { GoMod } = await goModule(`k8s.io/kubernetes@${KUBERNETES}`);
  writeFileSync(join(cwd, 'go.mod'), moduleOf(readFileSync(GoMod, 'utf8')));
  writeFileSync(join(cwd, 'main.go'), MAIN);
  await run('go', ['mod', 'tidy'], { cwd });
  const version = `-s -w -X k8s.io/component-base/version.gitVersion=${KUBERNETES}`;
  await run('go', ['build', '-ldflags', version, '-o', `${program}.part`, '.'], { cwd });
  renameSync(`${program}.part`, program);
  return program;
}

/** Downloads a Go module, and returns where its files are. */
export async function goModule(name: string): Promise<{ GoMod: string; Dir: string }> {
  const json = await run('go', ['mod', 'download', '-json', name], { cwd: tmpdir() });
  return JSON.parse(json) as { GoMod: string; Dir: string };
}

/** Modules in Kubernetes' own repository are published separately, as v0. */
function moduleOf(kubernetes: string): string {
  const [go = ''] = /^go .*$/m.exec(kubernetes) ?? [];
  const staged = [...kubernetes.matchAll(/^\s*(k8s\.io\/[\w-]+) => \.\/staging/gm)];
  const version = KUBERNETES.replace('v1', 'v0');
  const replaced = staged.map(([, name = '']) => `replace ${name} => ${name} ${version}`);
  const required = `require k8s.io/kubernetes ${KUBERNETES}`;
  return ['module example.com/kube-apiserver', go, required, ...replaced].join('\n');
}

/** Starts the API server on an etcd of its own. Returns the arguments with which kubectl reaches it. */
export async function startApiServer(program: string, folder: string, cleanup: Cleanup): Promise<string[]> {
  const port = await freePort();
  const etcd = await startEtcd(cleanup, folder, ['127.0.0.1', await freePort(), await freePort()]);
  const [key, tokens] = [join(folder, 'key.pem'), join(folder, 'tokens')];
  const token = randomBytes(16).toString('hex');
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  writeFileSync(key, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  writeFileSync(tokens, `${token},tester,1,system:masters\n`);
  const server = new Program(cleanup, [
    program,
    ...['--etcd-servers', etcd, '--secure-port', String(port), '--bind-address', '127.0.0.1'],
    ...['--cert-dir', folder, '--token-auth-file', tokens, '--authorization-mode', 'RBAC'],
    ...['--service-account-issuer', 'https://kubernetes.default.svc', '--service-account-key-file', key],
    ...['--service-account-signing-key-file', key, '--service-cluster-ip-range', '10.96.0.0/16'],
  ]);
  const access = ['--server', `https://127.0.0.1:${port}`, '--token', token];
  const kubectl = [...access, '--insecure-skip-tls-verify', '--kubeconfig', '/dev/null'];
  await server.until(() => succeeds('kubectl', [...kubectl, 'get', '--raw', '/readyz']));
  return kubectl;
}
