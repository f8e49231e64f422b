import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export type Change = readonly [from: string, to: string];

/** A file of deploy/ with other texts in places. Throws when a text to be replaced is not there. */
export function deployed(name: string, changes: readonly Change[]): string {
  return changes.reduce(
    (text, [from, to]) => {
      if (!text.includes(from)) throw new Error(`deploy/${name} no longer says ${from}`);
      return text.replaceAll(from, to);
    },
    readFileSync(join('deploy', name), 'utf8'),
  );
}
