import { Probes } from '../test/faults/support/probes.js';
import { transaction } from './cases.js';
import { print, progress } from './command.js';
import { type Cost, costOf, type Machine } from './cost.js';
import { percentile } from './load.js';
import { type MemoryTaken, memoryDuring } from './processes.js';
import { atMost, type Column, digits, header, known, line, type Verdict } from './report.js';
import type { Scratch } from './scratch.js';
import { LIMITS } from './targets.js';
import type { Row, World } from './world.js';

const ROWS = 10_000;
/** Milliseconds. */
const PROBE_INTERVAL = 10;
const DAY = 86_400_000;
/** The days of a file are those of a year. */
const DAYS = 365;

const FORMATS: Readonly<Record<string, (rows: readonly object[]) => string>> = {
  'text/csv': csvOf,
  'application/x-ndjson': (rows) => rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
};

const COLUMNS: readonly Column[] = [
  [`import of ${ROWS.toLocaleString('en')} rows`, -52],
  ['MB', 6],
  ['s', 7],
  ['Node s', 8],
  ['PG s', 7],
  ['MB before', 11],
  ['most', 7],
  ['liveness p99 ms', 17],
  ['slowest', 9],
];

/** One file of its kind. */
interface Import {
  readonly name: string;
  readonly owner: Row;
  readonly mediaType: string;
  readonly file: Buffer;
  readonly dryRun: boolean;
}

/** The latencies of the probes in ms, ascending. */
type Found = Cost & MemoryTaken & { readonly liveness: Float64Array };

/** A file of as many rows as one may have, into an owner of very many rows and into an ordinary one. */
export async function measureImports(machine: Machine, world: World, scratch: Scratch): Promise<Verdict[]> {
  const verdicts: Verdict[] = [];
  const all: Found[] = [];
  print(`\n${header(COLUMNS)}`);
  for (const one of importsOf(world)) {
    progress(`import: ${one.name}`);
    const found = await measured(machine, world, one);
    await scratch.clear();
    print(lineOf(one, found));
    verdicts.push(atMost(`import: ${one.name}`, found.seconds, LIMITS.importTime, ' s'));
    all.push(found);
  }
  const worst = (pick: (found: Found) => number): number => Math.max(...all.map(pick));
  return known([
    ...verdicts,
    atMost(
      'memory while importing',
      worst(({ most }) => most),
      LIMITS.importMemory,
      ' MB',
    ),
    atMost('p99 of liveness while importing', worst(p99), LIMITS.importLiveness, ' ms'),
  ]);
}

function importsOf({ written, properties }: World): Import[] {
  const owners = { 'a large owner': written[0], 'an ordinary owner': properties[0] };
  return Object.entries(owners).flatMap(([whose, owner]) =>
    Object.entries(FORMATS).flatMap(([mediaType, write]) => {
      if (owner === undefined) return [];
      const name = `${mediaType}, ${whose}`;
      const file = Buffer.from(write(rowsOf(owner)));
      return [
        { name: `${name}, dry run`, owner, mediaType, file, dryRun: true },
        { name, owner, mediaType, file, dryRun: false },
      ];
    }),
  );
}

async function measured(machine: Machine, world: World, one: Import): Promise<Found> {
  const { url, pid } = machine.server;
  const probes = new Probes(url, PROBE_INTERVAL).start();
  const found = await costOf(machine, () => memoryDuring(pid, () => send(url, world, one)));
  await probes.stop();
  const failed = probes.liveness.filter(({ code }) => code !== 200).length;
  if (failed > 0) throw new Error(`${failed} liveness probes failed`);
  return { ...found, liveness: Float64Array.from(probes.liveness.map(({ took }) => took)).sort() };
}

/** Throws unless all rows are taken. */
async function send(
  url: string,
  world: World,
  { owner, mediaType, file, dryRun }: Import,
): Promise<Pick<Cost, 'seconds'>> {
  const begin = performance.now();
  const headers = { authorization: world.authorization(owner.ownerId), 'content-type': mediaType };
  const path = `/api/transactions/import?dryRun=${dryRun}`;
  const response = await fetch(url + path, { method: 'POST', headers, body: file });
  const answer = (await response.json()) as { readonly created?: number };
  const seconds = (performance.now() - begin) / 1000;
  if (answer.created !== ROWS)
    throw new Error(`an import is answered ${response.status}: ${JSON.stringify(answer).slice(0, 1000)}`);
  return { seconds };
}

function rowsOf(owner: Row): object[] {
  return Array.from({ length: ROWS }, (_, index) => ({
    ...transaction(owner, index),
    date: new Date(Date.UTC(2025, 0, 1) + (index % DAYS) * DAY).toISOString(),
    paymentReference: `REF-${index}`,
  }));
}

function csvOf(rows: readonly object[]): string {
  const cellOf = (value: unknown): string => {
    if (typeof value === 'number') return String(value);
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return `"${text.replaceAll('"', '""')}"`;
  };
  const records = rows.map((row) => Object.values(row).map(cellOf).join(','));
  return `${[Object.keys(rows[0] ?? {}).join(','), ...records].join('\r\n')}\r\n`;
}

function p99({ liveness }: Found): number {
  return percentile(liveness, 99);
}

function lineOf({ name, file }: Import, found: Found): string {
  const { seconds, nodeCpu, databaseCpu, before, most, liveness } = found;
  const ofProbes = [p99(found), percentile(liveness, 100)];
  const figures = [file.length / 1e6, seconds, nodeCpu, databaseCpu, before, most, ...ofProbes];
  return line(COLUMNS, [name, ...figures.map(digits)]);
}
