import { execFile } from 'node:child_process';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);
const LONGEST = 10 * 60_000;
const MOST_OUTPUT = 64 * 1024 ** 2;

export const PROGRAMS = ['buildah', 'podman', 'runc', 'mmdebstrap'];

/** So that it also works where raising limits is forbidden, and where there is no systemd. */
const CONTAINERS_CONF = `[containers]
default_ulimits = ["nofile=4096:4096", "nproc=1024:1024"]
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
`;

/** Podman and Buildah on a storage of their own: what the machine has otherwise is not touched. */
export class Engine {
  private readonly env: NodeJS.ProcessEnv;

  constructor(
    folder: string,
    private readonly environment: NodeJS.ProcessEnv,
  ) {
    mkdirSync(folder, { recursive: true });
    const write = (name: string, text: string): string => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    };
    const [graph, run] = [join(folder, 'storage'), join(folder, 'run')];
    const storage = `[storage]\ndriver = "overlay"\ngraphroot = "${graph}"\nrunroot = "${run}"\n`;
    this.env = {
      ...environment,
      BUILDAH_ISOLATION: 'chroot',
      CONTAINERS_CONF: write('containers.conf', CONTAINERS_CONF),
      CONTAINERS_STORAGE_CONF: write('storage.conf', storage),
    };
  }

  /** What it writes to standard output. Throws with what it has said when it fails. */
  async run(program: string, args: readonly string[], cwd = '.'): Promise<string> {
    const options = { cwd, env: this.env, timeout: LONGEST, maxBuffer: MOST_OUTPUT };
    const { stdout } = await execute(program, args, options);
    return stdout.trim();
  }

  podman(...args: string[]): Promise<string> {
    return this.run('podman', args);
  }

  /** Whether it ends with 0. */
  async succeeds(program: string, ...args: string[]): Promise<boolean> {
    return this.run(program, args).then(
      () => true,
      () => false,
    );
  }

  /** Builds an image, with the npm settings and certificates of this machine, none of which stay in it. */
  async build(folder: string, tag: string, ...args: string[]): Promise<void> {
    const { NODE_EXTRA_CA_CERTS: certificates = '' } = this.environment;
    const files = ['/etc/resolv.conf', certificates, await this.npmConfig('userconfig')];
    const globalFile = [await this.npmConfig('globalconfig'), '/usr/local/etc/npmrc'];
    const mounts = [...files.map((file) => [file, file]), globalFile].filter(([file]) => isFile(file));
    const volumes = mounts.flatMap(([file, target]) => ['--volume', `${file ?? ''}:${target ?? ''}:ro`]);
    const fixed = ['--format', 'docker', '--pull-never', '--network', 'host', '--tag', tag];
    await this.run('buildah', ['bud', ...fixed, ...volumes, ...args, '.'], folder);
  }

  private async npmConfig(name: string): Promise<string> {
    return this.run('npm', ['config', 'get', name]);
  }
}

function isFile(file: string | undefined): boolean {
  return statSync(file ?? '', { throwIfNoEntry: false })?.isFile() === true;
}
