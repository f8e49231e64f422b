import { type Command, InvalidArgumentError } from 'commander';
import { migrate, migrationStatus, rollback } from '../database/migrate.js';
import { duration } from '../quickstart/terminal.js';
import { distribute, distributionStatements } from './distribute.js';
import { FAILED, Failure, Interrupted } from './failures.js';
import { recountTotals } from './recount.js';
import { type Session, withSettings } from './session.js';

export function addDbCommands(program: Command, session: Session): void {
  const db = program.command('db').description('Look after the database.');
  db.command('migrate')
    .description('Bring the schema up to date. Several may run at once: each waits for the one before it.')
    .action(() => update(session));
  db.command('status')
    .description('Show which migrations are applied, pending, or unknown to this version. Changes nothing.')
    .action(() => status(session));
  db.command('rollback')
    .description(
      'Undo the migrations behind one, the latest first, for an older version of the service. Stop the service and back ' +
        'up before: what a migration made goes with the rows in it.',
    )
    .requiredOption('--to <MIGRATION>', 'the last migration that stays, as "db status" names it')
    .action((options: { readonly to: string }) => undo(session, options.to));
  db.command('recount')
    .description(
      'Compare the totals that the database keeps for owners and properties with the rows, and correct them. ' +
        'The service may go on meanwhile.',
    )
    .option('--owner <ID>', 'only for the account of this id', ownerId)
    .option('--check', 'change nothing; the exit code is 1 when a total is wrong')
    .action((options: Recount) => recount(session, options));
  db.command('distribute')
    .description(
      'On the coordinator of a Citus cluster, spread the tables over its workers by owner, in one transaction. ' +
        'The service may go on meanwhile: its requests wait. There is no way back but a restore.',
    )
    .option(
      '--shards <N>',
      'parts of each table, at least one for each worker there will ever be',
      shards,
      16,
    )
    .option('--print', 'print the statements and change nothing')
    .action((options: Distribute) => spread(session, options));
}

interface Recount {
  readonly owner?: string;
  readonly check?: boolean;
}

interface Distribute {
  readonly shards: number;
  readonly print?: boolean;
}

function ownerId(text: string): string {
  // Below 2⁶³, and written as ids are.
  if (!/^[1-9]\d{0,17}$/.test(text)) throw new InvalidArgumentError('It takes the id of an account.');
  return text;
}

function shards(text: string): number {
  if (!/^[1-9]\d{0,2}$/.test(text)) throw new InvalidArgumentError('It takes a number from 1 to 999.');
  return Number(text);
}

function update(session: Session): Promise<void> {
  const { io } = session;
  return withSettings(session, async ({ database }) => {
    const applied = await migrate(database);
    for (const name of applied) io.out(`Applied ${name}`);
    if (applied.length === 0) io.out('The schema is up to date');
  });
}

function undo(session: Session, to: string): Promise<void> {
  const { io } = session;
  return withSettings(session, async ({ database }) => {
    const migrations = await migrationStatus(database);
    if (!migrations.some(({ name, state }) => name === to && state === 'applied'))
      throw new Failure(`No migration ${to} has been applied: "db status" names them.`);
    const undone = await rollback(database, to);
    for (const name of undone) io.out(`Undone ${name}`);
    if (undone.length === 0) io.out(`${to} is the latest already`);
  });
}

function status(session: Session): Promise<void> {
  return withSettings(session, async ({ database }) => {
    for (const { name, state } of await migrationStatus(database)) session.io.out(`${state}  ${name}`);
  });
}

function recount(session: Session, { owner, check = false }: Recount): Promise<void> {
  const { io } = session;
  return withSettings(session, async ({ database }) => {
    let wrong = 0;
    await recountTotals(database, { owner, repair: !check, stop: io.stop }, (id, rows) => {
      io.out(`owner ${id}: ${counted(rows)}`);
      wrong += rows;
    });
    if (io.stop.aborted) throw new Interrupted('Stopped: not every owner has been looked at.');
    io.out(wrong === 0 ? 'All totals are right' : `${check ? 'Wrong' : 'Corrected'}: ${counted(wrong)}`);
    if (check && wrong > 0) session.exitCode = FAILED;
  });
}

function counted(rows: number): string {
  return rows === 1 ? '1 row' : `${rows} rows`;
}

function spread(session: Session, { shards, print = false }: Distribute): Promise<void> {
  const { io } = session;
  return withSettings(session, async ({ database }) => {
    if (print) {
      for (const statement of await distributionStatements(database, shards)) io.out(`${statement};`);
      return;
    }
    const start = performance.now();
    const isNew = await distribute(database, shards);
    const time = duration(performance.now() - start);
    io.out(
      isNew
        ? `The tables are distributed, in ${shards} parts each, after ${time}`
        : 'The tables are distributed already',
    );
  });
}
