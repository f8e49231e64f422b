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

const UNBUILT = { time: null, git: { branch: 'unknown', commit: { id: 'unknown', time: null } } };

/** Read from package.json and dist/build-info.json in the project's folder. */
export function readBuildInfo(folder: string = projectFolder()): BuildInfo {
  const { name, version, description } = readJson(folder, 'package.json');
  try {
    const { time, git } = readJson(folder, 'dist', 'build-info.json');
    return { name, version, description, time, git };
  } catch {
    return { name, version, description, ...UNBUILT };
  }
}

function readJson(...path: string[]): BuildInfo {
  return JSON.parse(readFileSync(join(...path), 'utf8')) as BuildInfo;
}
