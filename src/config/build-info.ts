import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A run straight from the sources knows only the package. */
const UNBUILT = {
  time: null as string | null,
  git: { branch: 'unknown', commit: { id: 'unknown', time: null as string | null } },
};
type BuildInfo = Readonly<typeof UNBUILT & Record<'name' | 'version' | 'description', string>>;

/** Read from package.json and dist/build-info.json in the project's folder. */
export function readBuildInfo(folder: string = projectFolder()): BuildInfo {
  const read = (...path: string[]) => JSON.parse(readFileSync(join(folder, ...path), 'utf8')) as BuildInfo;
  const { name, version, description } = read('package.json');
  try {
    const { time, git } = read('dist', 'build-info.json');
    return { name, version, description, time, git };
  } catch {
    return { name, version, description, ...UNBUILT };
  }
}

/** The nearest folder above with a package.json: the sources and the build are not equally deep in it. */
export function projectFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json')) && folder !== dirname(folder)) folder = dirname(folder);
  return folder;
}
