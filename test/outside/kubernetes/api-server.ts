import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Cleanup } from '../../../bench/cleanup.js';
import { freePort } from '../../../bench/launch.js';
import type { Commands } from '../../support/commands.js';
import { Program } from '../../support/program.js';

const KUBERNETES = 'v1.36.3';
const execute = promisify(execFile);

const MAIN = `package main

import (
	"os"

	"k8s.io/component-base/cli"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
)

func main() { os.Exit(cli.Run(app.NewAPIServerCommand())) }
`;

/** Builds kube-apiserver from the Go module proxy, unless the cache has it. Five minutes of a processor, 2 GB. */
export async function buildApiServer(commands: Commands, cache: string): Promise<string> {
  const program = join(cache, `kube-apiserver-${KUBERNETES}`);
  if (existsSync(program)) return program;
  const folder = join(cache, 'build');
  mkdirSync(folder, { recursive: true });
  const where = { cwd: folder };
  const { GoMod } = await goModule(commands, `k8s.io/kubernetes@${KUBERNETES}`);
  writeFileSync(join(folder, 'go.mod'), moduleOf(readFileSync(GoMod, 'utf8')));
  writeFileSync(join(folder, 'main.go'), MAIN);
  await commands.run('go', ['mod', 'tidy'], where);
  const version = `-s -w -X k8s.io/component-base/version.gitVersion=${KUBERNETES}`;
  await commands.run('go', ['build', '-ldflags', version, '-o', `${program}.part`, '.'], where);
  renameSync(`${program}.part`, program);
  return program;
}

/** Downloads a module of Go, and tells where its files are. */
export async function goModule(commands: Commands, name: string): Promise<{ GoMod: string; Dir: string }> {
  const said = await commands.run('go', ['mod', 'download', '-json', name], { cwd: tmpdir() });
  return JSON.parse(said.slice(said.indexOf('{'))) as { GoMod: string; Dir: string };
}

/** The parts that lie in Kubernetes' own repository are published as modules of their own, with v0. */
function moduleOf(kubernetes: string): string {
  const [go = ''] = /^go .*$/m.exec(kubernetes) ?? [];
  const staged = [...kubernetes.matchAll(/^\s*(k8s\.io\/[\w-]+) => \.\/staging/gm)].map(
    ([, name = '']) => name,
  );
  const version = KUBERNETES.replace('v1', 'v0');
  const replaced = staged.map((name) => `replace ${name} => ${name} ${version}`);
  const required = `require k8s.io/kubernetes ${KUBERNETES}`;
  return ['module example.com/kube-apiserver', go, required, ...replaced].join('\n');
}

/** A real API server on an etcd of its own. */
export class ApiServer {
  private constructor(
    private readonly kubectlArgs: readonly string[],
    /** From its start until it was ready, in milliseconds. */
    readonly startTime: number,
  ) {}

  static async start(program: string, folder: string, cleanup: Cleanup): Promise<ApiServer> {
    const [port, client, peer] = [await freePort(), await freePort(), await freePort()];
    const etcd = `http://127.0.0.1:${client}`;
    const peers = `http://127.0.0.1:${peer}`;
    new Program(cleanup, [
      'etcd',
      ...['--data-dir', join(folder, 'etcd'), '--listen-client-urls', etcd, '--advertise-client-urls', etcd],
      ...['--listen-peer-urls', peers, '--initial-advertise-peer-urls', peers],
      ...['--initial-cluster', `default=${peers}`, '--unsafe-no-fsync'],
    ]);
    const [key, tokens] = [join(folder, 'key.pem'), join(folder, 'tokens')];
    const token = randomBytes(16).toString('hex');
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    writeFileSync(key, privateKey.export({ type: 'pkcs8', format: 'pem' }));
    writeFileSync(tokens, `${token},tester,1,system:masters\n`);
    const begin = performance.now();
    const server = new Program(cleanup, [
      program,
      ...['--etcd-servers', etcd, '--secure-port', String(port), '--bind-address', '127.0.0.1'],
      ...['--cert-dir', folder, '--token-auth-file', tokens, '--authorization-mode', 'RBAC'],
      ...['--service-account-issuer', 'https://kubernetes.default.svc', '--service-account-key-file', key],
      ...['--service-account-signing-key-file', key, '--service-cluster-ip-range', '10.96.0.0/16'],
    ]);
    const access = ['--server', `https://127.0.0.1:${port}`, '--token', token];
    const args = [...access, '--insecure-skip-tls-verify', '--kubeconfig', '/dev/null'];
    await server.until(() =>
      execute('kubectl', [...args, 'get', '--raw', '/readyz']).then(
        () => true,
        () => false,
      ),
    );
    return new ApiServer(args, performance.now() - begin);
  }

  /** Its words, and whether it did as it was told. */
  async kubectl(args: readonly string[], input: string): Promise<{ ok: boolean; said: string }> {
    const call = execute('kubectl', [...this.kubectlArgs, ...args]);
    call.child.stdin?.end(input);
    try {
      const { stdout, stderr } = await call;
      return { ok: true, said: stdout + stderr };
    } catch (error) {
      return { ok: false, said: (error as { stderr: string }).stderr };
    }
  }
}
