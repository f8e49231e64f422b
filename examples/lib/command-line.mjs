import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { parseArgs } from 'node:util';
import { Api, Failure } from './api.mjs';
import { isTimeZone } from './dates.mjs';

const { PROPERTY_FINANCE_URL, PROPERTY_FINANCE_TIME_ZONE } = process.env;

/** The options of every example. The environment names the zone once for imports and reports, which have to agree. */
const COMMON = {
  url: { type: 'string', default: PROPERTY_FINANCE_URL ?? 'http://127.0.0.1:8080' },
  user: { type: 'string' },
  'time-zone': { type: 'string', default: PROPERTY_FINANCE_TIME_ZONE ?? 'UTC' },
  help: { type: 'boolean', short: 'h' },
};

/** The command cannot begin, for a reason that the message tells in full. */
export class UsageError extends Error {}

/**
 * Runs a command and sets the exit code: what `main` returns, 2 when it was called wrongly, 3 when the service is not
 * there or refuses the account.
 */
export async function runCommand({ help, options, main }) {
  try {
    const { values, positionals } = parsedArguments({ ...COMMON, ...options });
    if (!isTimeZone(values['time-zone']))
      throw new UsageError(
        `--time-zone does not take "${values['time-zone']}", but UTC or a name like Europe/Lisbon`,
      );
    if (values.help) process.stdout.write(help);
    else process.exitCode = await main(values, positionals);
  } catch (error) {
    if (error instanceof UsageError) fail(2, `${error.message}\n--help says more.`);
    else if (error instanceof Failure) fail(3, error.message);
    else throw error;
  }
}

function parsedArguments(options) {
  try {
    return parseArgs({ options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error.message);
  }
}

function fail(code, message) {
  process.stderr.write(`${message}\n`);
  process.exitCode = code;
}

/**
 * With an API key, or signed in. The key and the password come from the environment, or the password is asked for:
 * arguments are seen by every process.
 */
export async function connect({ url, user }) {
  if (!/^https?:/.test(url) || !URL.canParse(url))
    throw new UsageError(`--url: "${url}" is not an HTTP address`);
  const { PROPERTY_FINANCE_API_KEY: key } = process.env;
  if (key !== undefined && user === undefined) return new Api(url, key);
  if (user === undefined) throw new UsageError('PROPERTY_FINANCE_API_KEY or --user NAME is missing');
  const password = (process.env.PROPERTY_FINANCE_PASSWORD ??= await askPassword(`Password of ${user}: `));
  return Api.signIn(url, { username: user, password });
}

/** Reads a line that the terminal does not show. */
async function askPassword(question) {
  if (!process.stdin.isTTY)
    throw new UsageError('set PROPERTY_FINANCE_PASSWORD, or run this in a terminal to be asked');
  process.stderr.write(question);
  const output = new Writable({ write: (chunk, encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output, terminal: true });
  terminal.once('SIGINT', () => process.exit(130));
  try {
    return await terminal.question('');
  } catch {
    throw new UsageError('no password was given');
  } finally {
    terminal.close();
    process.stderr.write('\n');
  }
}
