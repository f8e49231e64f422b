import { migrate, migrationStatus } from '../database/migrate.js';
import type { Command } from './command.js';
import { withoutSecret, withSettings } from './target.js';

const update: Command = {
  name: 'db migrate',
  usage: '',
  summary: 'Bring the schema up to date. Several may run at once: each waits for the one before it.',
  async run({ target, io }) {
    const applied = await withSettings(withoutSecret(target), io, ({ database }) => migrate(database));
    for (const name of applied) io.out(`Applied ${name}`);
    if (applied.length === 0) io.out('The schema is up to date');
    return undefined;
  },
};

const status: Command = {
  name: 'db status',
  usage: '',
  summary: 'Show which migrations have been applied. Changes nothing.',
  async run({ target, io }) {
    const migrations = await withSettings(withoutSecret(target), io, ({ database }) =>
      migrationStatus(database),
    );
    for (const { name, applied } of migrations) io.out(`${applied ? 'applied' : 'pending'}  ${name}`);
    return undefined;
  },
};

export const DB_COMMANDS: readonly Command[] = [update, status];
