import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from '../../config/project-folder.js';

/** What this build was made of. The build writes it down; a run straight from the sources knows only the package. */
export interface BuildInfo {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  /** When it was built. */
  readonly time: string | null;
  readonly git: {
    readonly branch: string;
    readonly commit: { readonly id: string; readonly time: string | null };
  };
}

const UNKNOWN = 'unknown';
const NO_PACKAGE = { name: UNKNOWN, version: UNKNOWN, description: '' };
const NO_BUILD = { time: null, git: { branch: UNKNOWN, commit: { id: UNKNOWN, time: null } } };

/** Read from package.json and dist/build-info.json in the project's folder. */
export function readBuildInfo(folder: string = projectFolder()): BuildInfo {
  const { name, version, description } = readJson(join(folder, 'package.json'), NO_PACKAGE);
  const { time, git } = readJson<Pick<BuildInfo, 'time' | 'git'>>(
    join(folder, 'dist', 'build-info.json'),
    NO_BUILD,
  );
  return { name, version, description, time, git };
}

function readJson<T extends object>(file: string, fallback: T): T {
  try {
    return { ...fallback, ...(JSON.parse(readFileSync(file, 'utf8')) as Partial<T>) };
  } catch {
    return fallback;
  }
}
