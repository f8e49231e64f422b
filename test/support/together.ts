import { join } from 'node:path';
import { closeAllBut, openNow } from './opened.js';

const ROOT = join(__dirname, '../..');

/**
 * Runs these test files as one, each within a `describe` of its own: `users` is test/users.e2e-spec.ts, and a unit test
 * is named by its path, such as `src/auth/tokens.spec`. Jest evaluates Nest and all of the service for every file anew,
 * which takes a second. Whoever names a file to Jest runs that file alone: see run-filter.cjs. What a file has opened is
 * closed behind it.
 */
export function together(...names: readonly string[]): void {
  for (const name of names)
    describe(name, () => {
      let before: ReadonlySet<unknown>;
      beforeAll(() => void (before = openNow()));
      jest.requireActual(join(ROOT, name.endsWith('.spec') ? name : `test/${name}.e2e-spec`));
      afterAll(() => closeAllBut(before));
    });
}
