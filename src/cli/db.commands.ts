import { type Command, InvalidArgumentError } from 'commander';
import type { DatabaseSettings } from '../config/env.js';
import { migrate, migrationStatus, rollback } from '../database/migrate.js';
import { distribute, distributionStatements } from './distribute.js';
import { recountTotals } from './recount.js';
import { requireSchema } from './require-schema.js';
import { duration } from '../quickstart/terminal.js';
import { FAILED, Failure, Interrupted } from './failures.js';
import type { Io } from './io.js';
import { example } from './help.js';
import { type Session, withoutSecret, withSettings } from './target.js';

/** Below 2⁶³, and written as ids are. */
const ID = /^[1-9]\d{0,17}$/;

interface Recount {
  readonly owner?: string;
  readonly check?: boolean;
}

interface Rollback {
  readonly to: string;
}

interface Distribute {
  readonly shards: number;
  readonly print?: boolean;
}

export function addDbCommands(program: Command, session: Session): void {
  const db = program
    .command('db')
    .description('Look after the database.')
    .addHelpText('after', example('db status'));
  db.command('migrate')
    .description('Bring the schema up to date. Several may run at once: each waits for the one before it.')
    .addHelpText('after', example('db migrate'))
    .action(() => update(session));
  db.command('status')
    .description(
      'Show which migrations have been applied, are pending, or are unknown to this version. Changes nothing.',
    )
    .addHelpText('after', example('db status'))
    .action(() => status(session));
  db.command('rollback')
    .description(
      'Undo the migrations behind one, the latest first, for an older version of the service. Stop the service and back ' +
        'up before: what a migration made goes with the rows in it.',
    )
    .requiredOption('--to <MIGRATION>', 'the last migration that stays, as "db status" names it')
    .addHelpText('after', example('db rollback --to Totals1800000000002'))
    .action((options: Rollback) => undo(session, options));
  addRows(db, session);
}

function addRows(db: Command, session: Session): void {
  db.command('recount')
    .description(
      'Compare the totals that the database keeps for owners and properties with what there is, and correct them. ' +
        'The service may go on meanwhile.',
    )
    .option('--owner <ID>', 'only for the account of this id', ownerId)
    .option('--check', 'change nothing; the exit code is 1 when a total is wrong')
    .addHelpText('after', example('db recount --check'))
    .action((options: Recount) => recount(session, options));
  db.command('distribute')
    .description(
      'On the coordinator of a Citus cluster, spread the tables over its workers by owner, in one transaction. ' +
        'The service may go on meanwhile: its requests wait. There is no way back but a restore.',
    )
    .option(
      '--shards <N>',
      'into how many parts, at least one for each worker there will ever be',
      shards,
      16,
    )
    .option('--print', 'print the statements and change nothing')
    .addHelpText('after', example('db distribute --print'))
    .action((options: Distribute) => spread(session, options));
}

function ownerId(text: string): string {
  if (!ID.test(text)) throw new InvalidArgumentError('It takes the id of an account.');
  return text;
}

function shards(text: string): number {
  if (!/^[1-9]\d{0,2}$/.test(text)) throw new InvalidArgumentError('It takes a number from 1 to 999.');
  return Number(text);
}

async function update({ target, io }: Session): Promise<void> {
  const applied = await withSettings(withoutSecret(target), io, ({ database }) =>
    migrate(database, (name, work) => applyOne(io, name, work)),
  );
  if (applied.length === 0) io.out('The schema is up to date');
}

async function undo({ target, io }: Session, { to }: Rollback): Promise<void> {
  await withSettings(withoutSecret(target), io, async ({ database }) => {
    const migrations = await migrationStatus(database);
    if (!migrations.some(({ name, state }) => name === to && state === 'applied'))
      throw new Failure(`No migration ${to} has been applied: "db status" names them.`);
    const undone = await rollback(database, to);
    for (const name of undone) io.out(`Undone ${name}`);
    if (undone.length === 0) io.out(`${to} is the latest already`);
  });
}

async function status({ target, io }: Session): Promise<void> {
  const migrations = await withSettings(withoutSecret(target), io, ({ database }) =>
    migrationStatus(database),
  );
  for (const { name, state } of migrations) io.out(`${state}  ${name}`);
}

async function recount(session: Session, options: Recount): Promise<void> {
  const { target, io } = session;
  const wrong = await withSettings(withoutSecret(target), io, ({ database }) =>
    compare(io, database, options),
  );
  const { check = false } = options;
  if (wrong === 0) io.out('All totals are right');
  else io.out(`${check ? 'Wrong' : 'Corrected'}: ${counted(wrong)}`);
  if (check && wrong > 0) session.exitCode = FAILED;
}

async function spread({ target, io }: Session, { shards, print }: Distribute): Promise<void> {
  await withSettings(withoutSecret(target), io, async ({ database }) => {
    if (print === true) {
      for (const statement of await distributionStatements(database, shards)) io.out(`${statement};`);
      return;
    }
    const start = performance.now();
    const isNew = await distribute(database, {
      shards,
      each: (_, run) => run(),
    });
    io.out(
      isNew
        ? `The tables are distributed, in ${shards} parts each, after ${duration(performance.now() - start)}`
        : 'The tables are distributed already',
    );
  });
}

async function applyOne(io: Io, name: string, work: () => Promise<void>): Promise<void> {
  const start = performance.now();
  await work();
  io.out(`Applied ${name} in ${duration(performance.now() - start)}`);
}

/** Prints for which owners the totals are wrong, as they are found. Returns how many rows that are. */
async function compare(
  io: Io,
  database: DatabaseSettings,
  { owner, check = false }: Recount,
): Promise<number> {
  await requireSchema(database);
  let wrong = 0;
  const request = { owner, repair: !check, stop: io.stop };
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
