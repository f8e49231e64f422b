import { LosslessNumber, stringify } from 'lossless-json';
import { type CsvForm, type Request, type Zone, ZONES } from './commands.js';
import { type JsonObject, Unknown } from './difference.js';
import { guarded } from './files.js';
import { keep, keyHeader, keptOutcome } from './keys.js';
import { type Answered, callOf, type Outcome, type Prediction, refused, type Sql } from './outcomes.js';
import { newestId, numberIn, requireEqual, whole } from './unknowns.js';
import { learn, newResponse, requestOf } from './transactions-oracle.js';
import type { Caller, ModelProperty, World } from './world.js';

/** The columns that every CSV file has, even one without a row. */
const REQUIRED = ['propertyId', 'type', 'category', 'description', 'amount', 'date'];

interface Row {
  readonly text: string;
  readonly faults: readonly string[];
  readonly property: ModelProperty | undefined;
  readonly values: JsonObject;
}

/** A row of a property that the caller may file against. */
interface KnownRow {
  readonly line: number;
  readonly property: ModelProperty;
  /** TransactionResponse. */
  readonly body: JsonObject;
}

interface Finding {
  readonly line: number;
  readonly field: string | null;
  /** Of a field it is not foretold. */
  readonly reason?: string;
}

export function importFile(world: World, caller: Caller, command: Request<'import'>): Prediction {
  const { isCsv, form, dryRun, timeZone, duplicates: rule = 'refuse' } = command;
  const rows = rowsOf(world, caller, command);
  const head = isCsv ? [(rows[0] ? columnsOf(rows[0].values) : REQUIRED).join(form.separator)] : [];
  const texts = [...head, ...rows.map(({ text }) => text)];
  const query = [
    `dryRun=${dryRun}${form.query}`,
    ...(command.duplicates ? [`duplicates=${rule}`] : []),
    ...(timeZone ? [`timeZone=${timeZone}`] : []),
  ];
  const call = callOf(caller, 'POST', `/api/transactions/import?${query.join('&')}`, {
    headers: { 'Content-Type': isCsv ? 'text/csv' : 'application/x-ndjson', ...keyHeader(command.key) },
    body: `${texts.join('\n')}\n`,
  });
  const kept = dryRun ? undefined : keptOutcome(world, caller, caller.account?.id, call);
  if (kept !== undefined) return { call, outcomes: [kept] };
  const lineOf = (index: number): number => {
    const before = texts.slice(0, head.length + index);
    return before.join('').split('\n').length + before.length;
  };
  const faults = rows.flatMap((row, index) => row.faults.map((field) => ({ line: lineOf(index), field })));
  const known = rows.flatMap(({ faults: [fault], property, values }, index): KnownRow[] =>
    fault !== undefined || property === undefined
      ? []
      : [{ line: lineOf(index), property, body: newResponse(world, property, { values }) }],
  );
  const alike = duplicatesOf(world, known);
  const counts = { rows: whole(rows.length), duplicates: whole(alike.length) };
  const findings = listOf([...faults, ...alike]);
  if (faults.length > 0 || (rule === 'refuse' && alike.length > 0)) {
    const members = { ...counts, faults: whole(faults.length), findings };
    return { call, outcomes: [refused('import-refused', { members })] };
  }
  const skipped = new Set(rule === 'skip' ? alike.map(({ line }) => line) : []);
  const wanted = known.filter(({ line }) => !skipped.has(line));
  const outcome: Outcome = {
    status: 200,
    body: { dryRun, ...counts, created: whole(wanted.length), findings },
    headers: { 'idempotent-replayed': undefined },
    async settle(answered, sql) {
      await learnAll(world, dryRun ? [] : wanted, answered, sql);
      if (!dryRun) keep(world, caller.account!.id, caller.account!.id, call, answered);
    },
  };
  return { call, outcomes: [outcome] };
}

function rowsOf(world: World, caller: Caller, command: Request<'import'>): Row[] {
  const { copies, rows, isCsv, form, timeZone } = command;
  const exported = copies.flatMap((ref): Row[] => {
    const found = world.transaction(world.target('transactions', ref, caller), caller);
    if (found === undefined) return [];
    const { body, propertyId } = found;
    const [date, start] = dayOf(body['date'] as string, timeZone);
    const sent: JsonObject = { ...body, date };
    const cells = columnsOf(sent).map((name) => cellOf(sent[name], form));
    const text = isCsv ? cells.join(form.separator) : stringify(sent)!;
    const property = world.properties.get(propertyId);
    return [{ text, faults: [], property, values: { ...body, date: start } }];
  });
  if (isCsv) return exported;
  const others = rows.map((row): Row => {
    const { body, property } = requestOf(world, caller, row);
    const ofProperty = property === undefined ? ['propertyId'] : []; // which is looked at last
    const faults = body.faults.length > 0 ? body.faults : ofProperty;
    // A file may have a day without a time, but not one that the calendar does not have.
    const text = body.text.replaceAll('"2026-01-15"', '"2026-02-30"');
    return { text, faults, property, values: body.values };
  });
  return [...exported, ...others];
}

/** In another order than an export's, because any will do. */
function columnsOf(body: JsonObject): string[] {
  return Object.keys(body).sort();
}

/** An instant as a file with days has it, and the instant that this means; of this century alone, where zones are simple. */
function dayOf(instant: string, timeZone: Zone | undefined): [text: string, instant: string] {
  if (timeZone === undefined || !instant.startsWith('20')) return [instant, instant];
  const day = instant.slice(0, 10);
  const start = Date.parse(`${day}T00:00:00Z`) - ZONES[timeZone] * 3_600_000;
  return [day, new Date(start).toISOString()];
}

function cellOf(value: unknown, { decimal }: CsvForm): string {
  if (value === null) return '';
  if (typeof value === 'boolean') return String(value);
  if (value instanceof LosslessNumber) return value.value.replace('.', decimal);
  const text = typeof value === 'string' ? guarded(value) : stringify(value)!;
  return `"${text.replaceAll('"', '""')}"`;
}

/** The rows that are stored already, each alike one by one. */
function duplicatesOf(world: World, rows: readonly KnownRow[]): Finding[] {
  const stored = new Map<string, number[]>();
  for (const { id, body } of [...world.transactions.values()].sort((one, other) => one.id - other.id))
    stored.set(likeness(body), [...(stored.get(likeness(body)) ?? []), id]);
  return rows.flatMap(({ line, body }) => {
    const id = stored.get(likeness(body))?.shift();
    return id === undefined ? [] : [{ line, field: null, reason: `is a duplicate of transaction ${id}` }];
  });
}

/** Property, amount and day, and the reference or else what the transaction was for. */
function likeness({ propertyId, amount, date, paymentReference, ...body }: JsonObject): string {
  const hasReference = paymentReference !== null && paymentReference !== '';
  const what = hasReference ? paymentReference : [body['type'], body['description'], body['vendor']];
  return stringify([propertyId, amount, (date as string).slice(0, 10), what])!;
}

/** By line; in which order those of one line come is open. */
function listOf(findings: readonly Finding[]): Unknown {
  const told = ({ line, field, reason }: JsonObject): string =>
    `${numberIn(line)}: ${(field ?? reason) as string}`;
  const expected = findings.map((one) => told({ ...one, line: whole(one.line) }));
  return new Unknown(`findings of ${expected.join(', ')}`, (actual) => {
    const lines = (actual as JsonObject[]).map(({ line }) => numberIn(line));
    const isInOrder = lines.every((line, index) => index === 0 || line >= lines[index - 1]!);
    return isInOrder && (actual as JsonObject[]).map(told).sort().join() === expected.sort().join();
  });
}

/** The answer does not tell the ids: they are in the order of the owners, and of the lines. */
async function learnAll(
  world: World,
  rows: readonly KnownRow[],
  answered: Answered,
  sql: Sql,
): Promise<void> {
  const found = await sql<{ id: string; created_at: Date; updated_at: Date }>(
    'SELECT id, created_at, updated_at FROM transactions WHERE id > $1 ORDER BY id',
    [newestId(world.seen.transactions)],
  );
  requireEqual('the number of new transactions', found.length, rows.length);
  const inOrder = [...rows].sort((one, other) => one.property.ownerId - other.property.ownerId);
  for (const [index, { property, body }] of inOrder.entries()) {
    const { id, created_at, updated_at } = found[index]!;
    const told = { id: new LosslessNumber(id), createdAt: created_at.toISOString() };
    learn(world, property.ownerId, { ...body, ...told, updatedAt: updated_at.toISOString() }, answered);
  }
}
