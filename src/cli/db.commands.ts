import type { Command } from 'commander';
import type { Settings } from '../config/env.js';
import { migrate, migrationStatus, rollback, withDataSource } from '../database/migrate.js';
import { distribute } from './distribute.js';
import { FAILED, Failure, INTERRUPTED } from './failures.js';
import { type Io, matching } from './io.js';
import { recountTotals } from './recount.js';
import { type Session, settingsOf } from './session.js';

const shards = matching(/^[1-9]\d{0,2}$/, 'It must be a number from 1 to 999.');

export function addDbCommands(program: Command, session: Session): void {
  const { io } = session;
  const db = program.command('db').description('Maintain the database.');
  db.command('migrate')
    .description('Bring the schema up to date. Several may run at once: each waits for the one before it.')
    .action(async () => update(await settingsOf(session), io));
  db.command('status')
    .description('Show which migrations are applied, pending, or unknown to this version. Changes nothing.')
    .action(async () => status(await settingsOf(session), io));
  db.command('rollback')
    .description(
      'Undo the migrations after one, the latest first, for an older version of the service. Stop the service and back up ' +
        'first: what a migration created goes, with the rows in it.',
    )
    .requiredOption('--to <MIGRATION>', 'the last migration to keep, as "db status" names it')
    .action(async ({ to }: { readonly to: string }) => undo(await settingsOf(session), io, to));
  db.command('recount')
    .description(
      'Compare the totals that the database keeps for owners and properties with the rows, and correct them. ' +
        'The service may keep running.',
    )
    .option('--check', 'change nothing; the exit code is 1 when a total is wrong')
    .action(async (options: Check) => recount(await settingsOf(session), session, options));
  db.command('distribute')
    .description(
      'On the coordinator of a Citus cluster, spread the tables over its workers by owner, in one transaction. ' +
        'The service may keep running: its requests wait. There is no way back but a restore.',
    )
    .option('--shards <N>', 'parts of each table, at least one for each future worker', shards, '16')
    .option('--print', 'print the statements and change nothing')
    .action(async (options: Distribute) => spread(await settingsOf(session), io, options));
}

type Check = Readonly<{ check?: boolean }>;
type Distribute = Readonly<{ shards: string; print?: boolean }>;

async function update({ database }: Settings, io: Io): Promise<void> {
  const applied = await withDataSource(database, migrate);
  for (const name of applied) io.out(`Applied ${name}`);
  if (applied.length === 0) io.out('The schema is up to date');
}

async function status({ database }: Settings, io: Io): Promise<void> {
  for (const { name, state } of await withDataSource(database, migrationStatus)) io.out(`${state}  ${name}`);
}

async function undo({ database }: Settings, io: Io, to: string): Promise<void> {
  const undone = await withDataSource(database, (source) => rollback(source, to));
  for (const name of undone) io.out(`Undone ${name}`);
  if (undone.length === 0) io.out(`${to} is the latest already`);
}

async function recount({ database }: Settings, session: Session, { check = false }: Check): Promise<void> {
  const { io } = session;
  let wrong = 0;
  await recountTotals(database, check, io.stop, (id, rows) => {
    io.out(`owner ${id}: ${counted(rows)}`);
    wrong += rows;
  });
  if (io.stop.aborted) throw new Failure('Stopped: not every owner has been looked at.', INTERRUPTED);
  io.out(wrong === 0 ? 'All totals are right' : `${check ? 'Wrong' : 'Corrected'}: ${counted(wrong)}`);
  if (check && wrong > 0) session.exitCode = FAILED;
}

const counted = (rows: number): string => (rows === 1 ? '1 row' : `${rows} rows`);

async function spread({ database }: Settings, io: Io, { shards, print = false }: Distribute): Promise<void> {
  const isNew = await distribute(database, Number(shards), print ? io.out : undefined);
  if (!isNew) io.out('The tables are distributed already');
  else if (!print) io.out(`The tables are distributed, in ${shards} parts each: restart every instance`);
}
