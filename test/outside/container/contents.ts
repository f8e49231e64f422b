import { lstatSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Criterion } from '../../faults/protocol.js';
import { criterion, none } from '../../faults/support/criteria.js';
import type { Engine } from './engine.js';

const MEGABYTES = 320;
const SCRIPTS = [
  'scripts/cli.mjs',
  'scripts/health.sh',
  'scripts/lib/child.mjs',
  'scripts/lib/node-version.mjs',
  'scripts/lib/project.mjs',
];
/** What installs, and what changes who one is. */
const UNWANTED = /bin\/(npm|npx|corepack|yarn|apt|apt-get|dpkg|su|mount|passwd)$/;
/** In a layer a file has a head, and is filled up to whole blocks. */
const BLOCK = 512;
const SETUID_OR_SETGID = 0o6000;

interface Entry {
  readonly path: string;
  readonly mode: number;
  readonly size: number;
}

/** What the image is made of, and what it is not. */
export async function examineContents(engine: Engine, image: string): Promise<Criterion[]> {
  const root = await engine.podman('image', 'mount', image);
  const entries = entriesOf(root);
  await engine.podman('image', 'unmount', image);
  const size = Number(await engine.podman('image', 'inspect', '--format', '{{.Size}}', image)) / 1e6;
  const blocks = entries.reduce((sum, entry) => sum + 1 + Math.ceil(entry.size / BLOCK), 0);
  const seen = (blocks * BLOCK) / 1e6;
  const user = await engine.podman('image', 'inspect', '--format', '{{.Config.User}}', image);
  const scripts = paths(entries, /^app\/scripts\//).map((path) => path.replace('app/', ''));
  const bcrypt = paths(entries, /bcrypt\/prebuilds\/.*\.node$/);
  return [
    criterion(`at most ${MEGABYTES} MB`, size <= MEGABYTES, `${Math.round(size)} MB`),
    criterion(
      'nothing is hidden under a layer',
      size - seen < 0.01 * size,
      `${Math.round(seen)} MB are seen`,
    ),
    none('.map files and no types', paths(entries, /\.(map|d\.[mc]?ts)$/)),
    criterion('bcrypt for this platform alone', bcrypt.length === 1, bcrypt.join(', ')),
    criterion(
      'of the scripts only what runs in there',
      String(scripts) === String(SCRIPTS),
      scripts.join(', '),
    ),
    none('program that installs', paths(entries, UNWANTED)),
    none(
      'setuid or setgid program',
      entries.filter(({ mode }) => (mode & SETUID_OR_SETGID) !== 0).map(({ path }) => path),
    ),
    criterion('the user is 1000, by number', user === '1000:1000', user),
  ];
}

function entriesOf(root: string): Entry[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const file = join(entry.parentPath, entry.name);
      const { mode, size } = lstatSync(file);
      return { path: relative(root, file), mode, size };
    });
}

function paths(entries: readonly Entry[], pattern: RegExp): string[] {
  return entries
    .map(({ path }) => path)
    .filter((path) => pattern.test(path))
    .sort();
}
