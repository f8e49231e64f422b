import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import * as client from '../../typescript/src/public.js';
import { Refusal } from './faults.js';
import { centsOf } from './meaning/amounts.js';
import { isTimeZone } from './meaning/days.js';
import { rulesIn } from './meaning/rules.js';
import { check, oneOf } from './meaning/shapes.js';
import { statementOf } from './meaning/statement.js';
import { textOf } from './reading/text.js';
import { undo } from './sending/journal.js';
import { numbered } from './sending/report.js';
import { run } from './sending/run.js';

const ABOUT = `Records each line of a bank's or a platform's file (CSV, OFX, CAMT.053) as a transaction, once: all lines or none. \
RULES.json says what the columns mean, and category and property of each line; the README says more.

Exit codes: 0 done, 1 refused: nothing is recorded (of undo: something is kept), 2 called wrongly, 3 the service refuses.`;
const OPTIONS = [
  ['--dry-run', 'ask the service what is new, and record nothing'],
  ['--strict', 'refuse the file when a line matches no rule'],
  ['--time-zone <ZONE>', "the host's (PROPERTY_FINANCE_TIME_ZONE, or UTC): its days count"],
  ['--opening <AMOUNT>', 'the balance before the first line, where nothing else proves its sign'],
  ['--cut <WHERE>', 'files that meet on a day: equal lines of it are the same ("days") or not ("within")'],
  ['--url <URL>', 'of the service (PROPERTY_FINANCE_URL, or http://127.0.0.1:8080)'],
  [
    '--user <NAME>',
    'to sign in by PROPERTY_FINANCE_PASSWORD in place of the API key in PROPERTY_FINANCE_API_KEY',
  ],
] as const;
const SERVICE = [client.ProblemError, client.UnexpectedResponseError, client.NoResponseError];

type Options = Readonly<Partial<Record<'url' | 'user' | 'timeZone' | 'opening', string>>> &
  Readonly<{ dryRun?: true; strict?: true; cut?: 'days' | 'within' }>;
/** The process, or a test. */
export type Io = Pick<NodeJS.Process, 'env'> &
  Readonly<Record<'stdout' | 'stderr', { write(text: string): unknown }>>;

/** Returns the exit code. */
export async function bankImport(args: readonly string[], io: Io): Promise<number> {
  let exitCode = 0;
  const program = new Command('bank-import')
    .description(ABOUT)
    .exitOverride()
    .configureHelp({ helpWidth: 110 })
    .configureOutput({ writeOut: (to) => io.stdout.write(to), writeErr: (to) => io.stderr.write(to) });
  for (const [flags, text] of OPTIONS) program.option(flags, text);
  program.arguments('<FILE> <RULES.json>').action(async (file: string, rules: string, options: Options) => {
    io.stdout.write(await imported(file, rules, options, io));
  });
  const undoing = program.command('undo <RUN.json>').description('delete what nobody has changed since');
  undoing.action(async (journal: string) => {
    const [told, isWhole] = await undo(connect(program.opts(), io), journal);
    io.stdout.write(told);
    exitCode = isWhole ? 0 : 1;
  });
  try {
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    return codeOf(error, io);
  }
}

/** Tells what is wrong. */
function codeOf(error: unknown, { stderr }: Io): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2; // which commander has told
  if (error instanceof Refusal) {
    stderr.write(`${error.message}\n${error.exitCode === 1 ? 'Nothing was recorded.\n' : ''}`);
    return error.exitCode;
  }
  const isOfFile = error instanceof Error && 'path' in error;
  if (!isOfFile && !SERVICE.some((type) => error instanceof type)) throw error;
  stderr.write(`${(error as Error).message}\n`);
  return isOfFile ? 2 : 3;
}

async function imported(file: string, rulesFile: string, options: Options, io: Io): Promise<string> {
  const { dryRun = false, cut } = options;
  if (cut !== undefined) check(cut, oneOf('days', 'within'), '--cut');
  const hostZone = options.timeZone ?? io.env['PROPERTY_FINANCE_TIME_ZONE'] ?? 'UTC';
  if (!isTimeZone(hostZone))
    throw new Refusal(`--time-zone must be UTC or a name like Europe/Lisbon, not ${hostZone}`, 2);
  const opening = options.opening === undefined ? undefined : centsOf(options.opening);
  if (opening === undefined && options.opening !== undefined)
    throw new Refusal('--opening must be an amount such as 1234.50', 2);
  const given = rulesIn(readFileSync(rulesFile, 'utf8'));
  const text = textOf(file, readFileSync(file), given.encoding);
  const statement = statementOf(text, given, hostZone, opening);
  const unmatched = statement.lines.filter(({ isMatched }) => !isMatched);
  const [fault] = options.strict ? numbered('--strict, and no rule is for', unmatched) : [];
  if (fault !== undefined) throw new Refusal(fault);
  const [report, journal] = await run(connect(options, io), statement, { file, rulesFile, dryRun, cut });
  const told = dryRun ? 'Nothing is recorded in a dry run.' : `The journal, for undo: ${journal}`;
  io.stderr.write(`${told}\n`);
  return report;
}

/** API key and password come from the environment: arguments are seen by every process. */
function connect({ url, user: username }: Options, { env }: Io): client.PropertyFinanceClient {
  const { PROPERTY_FINANCE_API_KEY: apiKey, PROPERTY_FINANCE_PASSWORD: password } = env;
  const baseUrl = url ?? env['PROPERTY_FINANCE_URL'] ?? 'http://127.0.0.1:8080';
  if (!/^https?:/.test(baseUrl) || !URL.canParse(baseUrl))
    throw new Refusal(`--url: "${baseUrl}" is not an HTTP address`, 2);
  const options = { baseUrl, timeout: 120_000 };
  if (username === undefined && apiKey) return client.createClient({ ...options, apiKey });
  if (username === undefined) throw new Refusal('set PROPERTY_FINANCE_API_KEY, or give --user NAME', 2);
  if (!password) throw new Refusal('set PROPERTY_FINANCE_PASSWORD', 2);
  return client.createClient({ ...options, credentials: { username, password } });
}
