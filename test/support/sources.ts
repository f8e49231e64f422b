import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';

/** A file of the service, by its path from the project's root. */
export interface Source {
  readonly path: string;
  readonly text: string;
}

/** The sources of the service, without the tests beside them. */
export function sources(): Source[] {
  return ['src', 'migrations'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'))
      .map((name) => posix.join(folder, name))
      .sort()
      .map((path) => ({ path, text: readFileSync(path, 'utf8') })),
  );
}
