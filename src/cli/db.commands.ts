import type { Settings } from '../config/env.js';
import { migrate, migrationStatus } from '../database/migrate.js';
import { recountTotals } from './recount.js';
import { duration } from '../quickstart/terminal.js';
import type { Command, Invocation } from './command.js';
import { Failure, Interrupted, UsageError } from './errors.js';
import type { Io } from './io.js';
import { withoutSecret, withSettings } from './target.js';

/** Below 2⁶³, and written as ids are. */
const ID = /^[1-9]\d{0,17}$/;

const update: Command = {
  name: 'db migrate',
  usage: '',
  summary: 'Bring the schema up to date. Several may run at once: each waits for the one before it.',
  example: 'db migrate',
  async run({ target, io }) {
    const applied = await withSettings(withoutSecret(target), io, ({ database }) =>
      migrate(database, (name, work) => applyOne(io, name, work)),
    );
    if (applied.length === 0) io.out('The schema is up to date');
    return undefined;
  },
};

const status: Command = {
  name: 'db status',
  usage: '',
  summary:
    'Show which migrations have been applied, are pending, or are unknown to this version. Changes nothing.',
  example: 'db status',
  async run({ target, io }) {
    const migrations = await withSettings(withoutSecret(target), io, ({ database }) =>
      migrationStatus(database),
    );
    for (const { name, state } of migrations) io.out(`${state}  ${name}`);
    return undefined;
  },
};

const recount: Command = {
  name: 'db recount',
  usage: '[--owner ID] [--check]',
  summary:
    'Compare the totals that the database keeps for owners and properties with what there is, and correct them. ' +
    'The service may go on meanwhile.',
  example: 'db recount --check',
  details: {
    '--owner ID': 'only for the account of this id',
    '--check': 'change nothing; the exit code is 1 when a total is wrong',
  },
  options: { owner: { type: 'string' }, check: { type: 'boolean' } },
  async run(invocation) {
    const { target, io, text, flag } = invocation;
    const owner = text('owner');
    if (owner !== undefined && !ID.test(owner)) throw new UsageError('--owner takes the id of an account');
    const wrong = await withSettings(withoutSecret(target), io, (settings) =>
      compare(invocation, settings, owner),
    );
    if (wrong === 0) io.out('All totals are right');
    else io.out(`${flag('check') ? 'Wrong' : 'Corrected'}: ${counted(wrong)}`);
    return flag('check') && wrong > 0 ? 1 : 0;
  },
};

async function applyOne(io: Io, name: string, work: () => Promise<void>): Promise<void> {
  const start = performance.now();
  io.status(`Applying ${name} …`);
  await work();
  io.out(`Applied ${name} in ${duration(performance.now() - start)}`);
}

export const DB_COMMANDS: readonly Command[] = [update, status, recount];

/** Prints for which owners the totals are wrong, as they are found. Returns how many rows that are. */
async function compare(
  { io, flag }: Invocation,
  { database }: Settings,
  owner: string | undefined,
): Promise<number> {
  if ((await migrationStatus(database)).some(({ state }) => state === 'pending'))
    throw new Failure('The schema is not up to date: run "npm run cli -- db migrate".');
  let wrong = 0;
  io.status('Comparing the totals …');
  const request = { owner, repair: !flag('check'), stop: io.stop };
  for await (const found of recountTotals(database, request)) {
    io.out(`owner ${found.owner}: ${counted(found.rows)}`);
    wrong += found.rows;
  }
  if (io.stop.aborted) throw new Interrupted('Stopped: not every owner has been looked at.');
  return wrong;
}

function counted(rows: number): string {
  return rows === 1 ? '1 row' : `${rows} rows`;
}
