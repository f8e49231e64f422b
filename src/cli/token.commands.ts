import { randomBytes } from 'node:crypto';
import { chmod, chown, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { Tokens } from '../auth/tokens.js';
import { loadSettings, type Settings } from '../config/env.js';
import { unavailability, Unavailable } from '../database/errors.js';
import { Failure } from './failures.js';
import type { Io } from './io.js';
import { environmentOf, type Session, withServices } from './session.js';
import { UsersRepository } from '../users/users.repository.js';

type Mint = Readonly<{ user: string; out?: string; watch?: boolean }>;

export function addTokenCommands(program: Command, session: Session): void {
  program
    .command('token')
    .description('Create access tokens.')
    .command('mint')
    .description('Create an access token for an account, as a sign-in would.')
    .requiredOption('--user <NAME>', 'the username of the account')
    .option('--out <FILE>', 'write it to FILE atomically; one that exists keeps its mode and group')
    .option('--watch', 'renew it after half of its life until stopped, even through outages of the database')
    .action((options: Mint) => mint(session, options));
}

async function mint(session: Session, { user, out, watch = false }: Mint): Promise<void> {
  const { io } = session;
  const settings = loadSettings(await environmentOf(session));
  const renew = (): Promise<void> =>
    withServices(settings, async (app) => {
      const token = app.get(Tokens).issue(await app.get(UsersRepository).getByUsername(user));
      if (out === undefined) io.out(token);
      else await replaceFile(out, `${token}\n`);
    });
  await (watch ? keepFresh(io, settings, renew) : renew());
}

const NEW_FILE = { mode: 0o600, gid: -1 };

/** Readers see the old content or the new one, never a part. */
async function replaceFile(file: string, content: string): Promise<void> {
  const draft = join(dirname(file), `.${basename(file)}.${randomBytes(6).toString('hex')}`);
  try {
    const { mode, gid } = await stat(file).catch(() => NEW_FILE);
    await writeFile(draft, content, { mode: NEW_FILE.mode, flag: 'wx' });
    await chown(draft, -1, gid);
    await chmod(draft, mode & 0o777);
    await rename(draft, file);
  } catch (error) {
    await rm(draft, { force: true });
    throw new Failure(`The token cannot be written: ${(error as Error).message}`);
  }
}

const LONGEST_PAUSE = 24 * 3600 * 1000; // a day, in milliseconds; a timer cannot wait for more than 24

/** Renews the token at half its life, until stopped. Throws errors that waiting cannot cure, as for a deleted account. */
async function keepFresh(io: Io, { jwt }: Settings, renew: () => Promise<void>): Promise<void> {
  const pause = Math.min(jwt.lifetime / 2, LONGEST_PAUSE);
  const wait = Math.min(pause / 20, 5000); // for the database: often enough before the token expires
  let isAway = false;
  while (!io.stop.aborted) {
    const outage = await renew().then(() => undefined, passing);
    if (outage !== undefined && !isAway) io.err(`The database cannot be used (${outage}); still trying.`);
    if (outage === undefined && isAway) io.err('The token has been renewed again.');
    isAway = outage !== undefined;
    await sleep(isAway ? wait : pause, undefined, { signal: io.stop }).catch(() => undefined);
  }
}

/** Why the database is away. Throws any other error. */
function passing(error: unknown): string {
  const reason = unavailability(error) ?? (error instanceof Unavailable ? 'unavailable' : undefined);
  if (reason === undefined) throw error;
  return reason;
}
