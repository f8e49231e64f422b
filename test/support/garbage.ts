import v8 from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Collects all garbage, at once. */
export function collectGarbage(): void {
  v8.setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}
