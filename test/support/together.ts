import { join } from 'node:path';

const TESTS = join(__dirname, '..');

/**
 * Runs these test files as one, each within a `describe` of its own. Jest evaluates Nest and all of the service for
 * every file anew, which takes a second. Whoever names a file to Jest runs that file alone: see run-filter.cjs.
 */
export function together(...names: readonly string[]): void {
  for (const name of names)
    describe(name, () => {
      jest.requireActual(join(TESTS, `${name}.e2e-spec`));
    });
}
