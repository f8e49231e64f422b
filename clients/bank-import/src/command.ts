import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { parseArgs } from 'node:util';
import { Refusal } from './faults.js';
import { centsOf } from './meaning/amounts.js';
import { isTimeZone } from './meaning/days.js';
import { rulesIn } from './meaning/rules.js';
import { statementOf } from './meaning/statement.js';
import { textOf } from './reading/text.js';
import { checkUrl, isServiceFailure, Ledger, Refused } from './sending/ledger.js';
import { named, reportOf } from './sending/report.js';
import { run } from './sending/run.js';
import { undo } from './sending/undo.js';

const HELP = `Usage: bank-import --user NAME [options] FILE RULES.json
       bank-import --user NAME undo RUN.json

Records each line of a bank's or a platform's file (CSV, OFX, CAMT.053) as a transaction, once. RULES.json says what the
columns mean, and category and property of each line; the README says more, and layouts/ has rules for many banks. All
lines are recorded or, when one has a fault, none. What is there already is not recorded again. Each run leaves a journal
in bank-import-runs/ beside RULES.json; undo deletes what a run has recorded and nobody has changed since.

  --dry-run           ask the service what is new, and record nothing
  --offline           with --dry-run: do not ask the service
  --strict            refuse the file when a line matches no rule
  --account NAME      of the account, in place of the "account" of RULES.json
  --property NAME     name or id of the property, where RULES.json names none
  --time-zone ZONE    the host's, such as America/New_York (PROPERTY_FINANCE_TIME_ZONE, or UTC): its days count
  --opening AMOUNT    the balance before the first line, where nothing else proves the sign of that
  --cut WHERE         an equal line on the day on which two files meet: "days" if files are cut between days, and it is the
                      same; "within" if it is another
  --changed WHAT      a line with the day and amount of a recorded one that is gone: the "same", worded anew, or "new"
  --url URL           of the service (PROPERTY_FINANCE_URL, or http://127.0.0.1:8080)
  --user NAME         account to sign in as; its password is PROPERTY_FINANCE_PASSWORD, or asked for
  --help

Exit codes: 0 done, 1 refused: nothing is recorded (of undo: something is kept), 2 called wrongly, 3 the service is not
there or refuses.
`;

const text = { type: 'string' } as const;
const flag = { type: 'boolean', default: false } as const;
const OPTIONS = {
  ...{ url: text, user: text, account: text, property: text, opening: text, cut: text, changed: text },
  ...{ 'time-zone': text, 'dry-run': flag, offline: flag, strict: flag, help: { ...flag, short: 'h' } },
} as const;

type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>['values'];
/** The process, or a test. */
export type Io = Pick<NodeJS.Process, 'env'> & {
  readonly stdin: { readonly isTTY?: boolean };
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
};

/** Returns the exit code. */
export async function bankImport(args: readonly string[], io: Io): Promise<number> {
  try {
    return await command(args, io);
  } catch (error) {
    const tell = (message: string): unknown => io.stderr.write(`${message}\n`);
    if (error instanceof Refused) {
      for (const { line, message } of error.faults) tell(`line ${line}: ${message}`);
      tell('Nothing was recorded.');
      return 1;
    }
    if (error instanceof Refusal) {
      tell(
        error.exitCode === 2
          ? `${error.message}\n--help says more.`
          : `${error.message}\nNothing was recorded.`,
      );
      return error.exitCode;
    }
    if (!isServiceFailure(error)) throw error;
    tell(error.message);
    return 3;
  }
}

async function command(args: readonly string[], io: Io): Promise<number> {
  const { values, positionals } = parsed(args);
  const [first, second, ...others] = positionals;
  if (values.help) return (io.stdout.write(HELP), 0);
  if (first === undefined || second === undefined || others.length > 0)
    throw new Refusal(
      'two files are required, the bank\'s and the rules; or "undo" and the journal of a run',
      2,
    );
  if (first === 'undo') {
    const [told, isWhole] = await undo(await connect(values, io), second);
    io.stdout.write(told);
    return isWhole ? 0 : 1;
  }
  io.stdout.write(await imported(first, second, values, io));
  return 0;
}

function parsed(args: readonly string[]): { values: Values; positionals: string[] } {
  try {
    return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw new Refusal((error as Error).message, 2);
  }
}

async function imported(file: string, rulesFile: string, values: Values, io: Io): Promise<string> {
  const cut = choice('cut', values.cut, ['days', 'within']);
  const changed = choice('changed', values.changed, ['same', 'new']);
  const hostZone = values['time-zone'] ?? io.env['PROPERTY_FINANCE_TIME_ZONE'] ?? 'UTC';
  if (!isTimeZone(hostZone))
    throw new Refusal(`--time-zone does not take "${hostZone}", but UTC or a name like Europe/Lisbon`, 2);
  const opening = values.opening === undefined ? undefined : centsOf(values.opening);
  if (values.opening !== undefined && opening === undefined)
    throw new Refusal('--opening takes an amount such as 1234.50', 2);
  const given = rulesIn(rulesFile, contentOf(rulesFile).toString(), values);
  const statement = statementOf(rulesFile, textOf(file, contentOf(file), given.encoding), given, {
    hostZone,
    opening,
  });
  if (statement.faults.length > 0) throw new Refused(statement.faults);
  const unmatched = statement.lines.filter(({ isMatched }) => !isMatched).map(({ line }) => line);
  if (values.strict && unmatched.length > 0)
    throw new Refusal(`no rule is for ${named(unmatched)}, and --strict wants one`);
  const dryRun = values['dry-run'];
  if (statement.question !== undefined && !dryRun) throw new Refusal(statement.question);
  if (dryRun && values.offline)
    return reportOf(
      statement,
      statement.lines.map((line) => ({ line, state: '' })),
      'The service was not asked what is new.',
    );
  const [report, journal] = await run(await connect(values, io), statement, {
    file,
    rulesFile,
    dryRun,
    cut,
    changed,
  });
  io.stderr.write(
    dryRun ? 'Nothing is recorded in a dry run.\n' : `To undo this run: bank-import undo ${journal}\n`,
  );
  return report;
}

function choice<const T extends string>(
  name: string,
  given: string | undefined,
  words: readonly T[],
): T | undefined {
  const found = words.find((word) => word === given);
  if (given !== undefined && found === undefined)
    throw new Refusal(`--${name} does not take "${given}", but ${words.join(' or ')}`, 2);
  return found;
}

function contentOf(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new Refusal((error as Error).message, 2);
  }
}

/** The password comes from the environment or is asked for: arguments are seen by every process. */
async function connect({ url, user }: Values, io: Io): Promise<Ledger> {
  if (user === undefined) throw new Refusal('--user NAME is missing', 2);
  const address = checkUrl(url ?? io.env['PROPERTY_FINANCE_URL'] ?? 'http://127.0.0.1:8080');
  return new Ledger(
    address,
    user,
    io.env['PROPERTY_FINANCE_PASSWORD'] ?? (await askPassword(`Password of ${user}: `, io)),
  );
}

/** Reads a line that the terminal does not show. */
async function askPassword(question: string, { stdin, stderr }: Io): Promise<string> {
  if (stdin.isTTY !== true)
    throw new Refusal('set PROPERTY_FINANCE_PASSWORD, or run this in a terminal to be asked', 2);
  stderr.write(question);
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output, terminal: true });
  terminal.once('SIGINT', () => process.exit(130));
  try {
    return await terminal.question('');
  } finally {
    terminal.close();
    stderr.write('\n');
  }
}
