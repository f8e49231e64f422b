import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Cleanup } from '../../bench/cleanup.js';
import { freePort } from '../../bench/launch.js';
import type { Commands } from '../support/commands.js';

const KUBERNETES = 'v1.36.3';
const READY_WITHIN = 60_000;
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
  const downloaded = await commands.run(
    'go',
    ['mod', 'download', '-json', `k8s.io/kubernetes@${KUBERNETES}`],
    where,
  );
  const { GoMod } = JSON.parse(downloaded.slice(downloaded.indexOf('{'))) as { GoMod: string };
  writeFileSync(join(folder, 'go.mod'), moduleOf(readFileSync(GoMod, 'utf8')));
  writeFileSync(join(folder, 'main.go'), MAIN);
  await commands.run('go', ['mod', 'tidy'], where);
  const version = `-s -w -X k8s.io/component-base/version.gitVersion=${KUBERNETES}`;
  await commands.run('go', ['build', '-ldflags', version, '-o', `${program}.part`, '.'], where);
  renameSync(`${program}.part`, program);
  return program;
}

/** The parts that lie in Kubernetes' own repository are published as modules of their own, with v0. */
function moduleOf(kubernetes: string): string {
  const [go = ''] = /^go .*$/m.exec(kubernetes) ?? [];
  const staged = [...kubernetes.matchAll(/^\s*(k8s\.io\/[\w-]+) => \.\/staging/gm)].map(
    ([, name = '']) => name,
  );
  const version = KUBERNETES.replace('v1', 'v0');
  const replaced = staged.map((name) => `replace ${name} => ${name} ${version}`);
  return [
    'module example.com/kube-apiserver',
    go,
    `require k8s.io/kubernetes ${KUBERNETES}`,
    ...replaced,
  ].join('\n');
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
    launch(cleanup, 'etcd', [
      ...['--data-dir', join(folder, 'etcd'), '--listen-client-urls', etcd, '--advertise-client-urls', etcd],
      ...['--listen-peer-urls', peers, '--initial-advertise-peer-urls', peers],
      ...['--initial-cluster', `default=${peers}`, '--unsafe-no-fsync'],
    ]);
    const [key, tokens, token] = [
      join(folder, 'key.pem'),
      join(folder, 'tokens'),
      randomBytes(16).toString('hex'),
    ];
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    writeFileSync(key, privateKey.export({ type: 'pkcs8', format: 'pem' }));
    writeFileSync(tokens, `${token},tester,1,system:masters\n`);
    const begin = performance.now();
    const ended = launch(cleanup, program, [
      ...['--etcd-servers', etcd, '--secure-port', String(port), '--bind-address', '127.0.0.1'],
      ...['--cert-dir', folder, '--token-auth-file', tokens, '--authorization-mode', 'RBAC'],
      ...['--service-account-issuer', 'https://kubernetes.default.svc', '--service-account-key-file', key],
      ...['--service-account-signing-key-file', key, '--service-cluster-ip-range', '10.96.0.0/16'],
    ]);
    const server = `https://127.0.0.1:${port}`;
    const args = [
      '--server',
      server,
      '--token',
      token,
      '--insecure-skip-tls-verify',
      '--kubeconfig',
      '/dev/null',
    ];
    while (
      !(await execute('kubectl', [...args, 'get', '--raw', '/readyz']).then(
        () => true,
        () => false,
      ))
    ) {
      if (ended() !== undefined || performance.now() - begin > READY_WITHIN)
        throw new Error(`kube-apiserver is not ready:\n${ended() ?? ''}`);
      await sleep(200);
    }
    return new ApiServer(args, performance.now() - begin);
  }

  /** Its words, and whether it did as it was told. */
  async kubectl(
    args: readonly string[],
    input = '',
  ): Promise<{ readonly ok: boolean; readonly said: string }> {
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

/** What a program that has ended has said; undefined while it runs. */
function launch(cleanup: Cleanup, program: string, args: readonly string[]): () => string | undefined {
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-2000)));
  const gone = once(child, 'exit');
  cleanup.defer(async () => {
    child.kill('SIGKILL');
    await gone;
  });
  return () => (child.exitCode === null ? undefined : said);
}
