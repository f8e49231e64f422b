import { randomBytes } from 'node:crypto';
import { chmod, chown, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { Tokens } from '../auth/tokens.js';
import type { Settings } from '../config/settings.js';
import { unavailability } from '../database/errors.js';
import { ProblemError } from '../http/problem/problem.js';
import { UsersService } from '../users/users.service.js';
import { Failure, UsageError } from './failures.js';
import { example } from './help.js';
import type { Io } from './io.js';
import { NotReady, withServices } from './services.js';
import { type Session, withSettings } from './target.js';

interface Mint {
  readonly user: string;
  readonly out?: string;
  readonly mode?: string;
  readonly group?: string;
  readonly watch?: boolean;
}

export function addTokenCommands(program: Command, session: Session): void {
  const token = program
    .command('token')
    .description('Make access tokens.')
    .addHelpText('after', example('token mint --user ada'));
  token
    .command('mint')
    .description('Make an access token for an account, as a sign-in would.')
    .requiredOption('--user <NAME>', 'the username of the account')
    .option(
      '--out <FILE>',
      'write it to a file, which is replaced as a whole, and which only its owner may read',
    )
    .option('--mode <MODE>', 'the rights of that file in place of 600: 640 lets its group read it')
    .option('--group <GROUP>', 'the group of that file, by its name in /etc/group or by its number')
    .option('--watch', 'renew it after half of its life, until stopped, also past outages of the database')
    .addHelpText('after', example('token mint --user prometheus --watch --out /run/prometheus/token'))
    .action((options: Mint) => mint(session, options));
}

async function mint({ io, target }: Session, options: Mint): Promise<void> {
  const { user, out, mode = '600', group, watch = false } = options;
  if ((options.mode !== undefined || group !== undefined) && out === undefined)
    throw new UsageError('--mode and --group go with --out');
  if (!/^0?[0-7]{3}$/.test(mode)) throw new UsageError('--mode takes a mode such as 640');
  const access = {
    mode: parseInt(mode, 8),
    group: group === undefined ? undefined : await groupNumber(group),
  };
  await withSettings(target, io, async (settings) => {
    const renew = (): Promise<void> =>
      withServices(settings, async (services) => {
        const account = await services.get(UsersService).getByUsername(user);
        const token = services.get(Tokens).issue(account);
        if (out === undefined) io.out(token);
        else await replaceFile(out, `${token}\n`, access);
      });
    await (watch ? keepFresh(io, settings, renew) : renew());
  });
}

/** A number, or that of a name in /etc/group, the only directory of groups that Node can read. */
async function groupNumber(group: string): Promise<number> {
  if (/^\d{1,9}$/.test(group)) return Number(group);
  const groups = await readFile('/etc/group', 'utf8').catch(() => '');
  const number = groups
    .split('\n')
    .find((line) => line.startsWith(`${group}:`))
    ?.split(':')[2];
  if (number === undefined) throw new Failure(`There is no group ${group} in /etc/group: give its number.`);
  return Number(number);
}

const UNCHANGED = -1;

/** Readers see the old content or the new one, never a part; and nobody reads without a right to. */
async function replaceFile(
  file: string,
  content: string,
  { mode, group = UNCHANGED }: { mode: number; group: number | undefined },
): Promise<void> {
  const draft = join(dirname(file), `.${basename(file)}.${randomBytes(6).toString('hex')}`);
  try {
    await writeFile(draft, content, { mode: 0o600, flag: 'wx' });
    await chown(draft, UNCHANGED, group);
    await chmod(draft, mode);
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw new Failure(`The token cannot be written: ${(error as Error).message}`);
  }
}

/** A timer cannot wait for more than 24 days. Milliseconds. */
const LONGEST_PAUSE = 24 * 3600 * 1000;
/** Attempts within the rest of a token's life, after a failure. */
const ATTEMPTS = 20;
const LONGEST_WAIT = 5000;

/** Renews the token after half of its life, until it is stopped. Throws a fault that lasts: a deleted account, for example. */
async function keepFresh(io: Io, { jwt }: Settings, renew: () => Promise<void>): Promise<void> {
  const pause = Math.min(jwt.lifetime / 2, LONGEST_PAUSE);
  const wait = Math.min(pause / ATTEMPTS, LONGEST_WAIT);
  let [hasWorked, isFailing] = [false, false];
  while (!io.stop.aborted) {
    try {
      await renew();
      if (isFailing) io.err('The token was renewed again.');
      [hasWorked, isFailing] = [true, false];
    } catch (error) {
      const text = passingFault(error, hasWorked);
      if (text === undefined) throw error;
      if (!isFailing) io.err(`${text}; trying on.`);
      isFailing = true;
    }
    await sleep(isFailing ? wait : pause, undefined, { signal: io.stop }).catch(() => undefined);
  }
}

/** A fault that may pass by itself: the database is away, or a file that could be written once cannot now. */
function passingFault(error: unknown, hasWorked: boolean): string | undefined {
  const isProblem = error instanceof ProblemError;
  const reason = unavailability(isProblem ? error.options.cause : error);
  if (
    reason !== undefined ||
    error instanceof NotReady ||
    (isProblem && error.slug === 'service-unavailable')
  )
    return `The database cannot be used (${reason ?? 'unavailable'})`;
  return hasWorked && error instanceof Failure ? error.message : undefined;
}
