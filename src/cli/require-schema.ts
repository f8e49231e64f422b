import type { DatabaseSettings } from '../config/env.js';
import { migrationStatus } from '../database/migrate.js';
import { Failure } from './failures.js';

/** Throws a {@link Failure} while migrations are pending. */
export async function requireSchema(settings: DatabaseSettings): Promise<void> {
  if ((await migrationStatus(settings)).some(({ state }) => state === 'pending')) throw outdatedSchema();
}

export function outdatedSchema(): Failure {
  return new Failure('The schema is not up to date: run "npm run cli -- db migrate".');
}
