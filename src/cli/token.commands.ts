import { setTimeout as sleep } from 'node:timers/promises';
import type { INestApplicationContext } from '@nestjs/common';
import type { Command } from 'commander';
import { Tokens } from '../auth/tokens.js';
import { ProblemError } from '../http/problem/problem.js';
import { UsersService } from '../users/users.service.js';
import { UsageError } from './errors.js';
import { example } from './help.js';
import { withServices } from './services.js';
import type { Session } from './session.js';
import { withSettings } from './target.js';
import { fileAccess, replaceFile } from './token-file.js';

/** A token is renewed after half of its life, and at least every day: a timer cannot wait for more than 24 days. */
const LONGEST_PAUSE = 24 * 3600 * 1000;
/** After a failure it is tried again this many times within what is left of a life. */
const ATTEMPTS = 20;

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
    .option('--watch', 'renew it after half of its life, until stopped')
    .addHelpText('after', example('token mint --user prometheus --watch --out /run/prometheus/token'))
    .action((options: Mint) => mint(session, options));
}

async function mint(session: Session, { user, out, mode, group, watch = false }: Mint): Promise<void> {
  if ((mode !== undefined || group !== undefined) && out === undefined)
    throw new UsageError('--mode and --group go with --out');
  const access = await fileAccess(mode, group);
  await withSettings(session.target, session.io, (settings) =>
    withServices(settings, async (services) => {
      const renew = async (): Promise<void> => {
        const token = await tokenOf(user, services);
        if (out === undefined) session.io.out(token);
        else await replaceFile(out, `${token}\n`, access);
      };
      await renew();
      if (watch) await keepFresh(session, services, renew);
    }),
  );
}

/** For the account as it is now. Throws not-found once it is deleted. */
async function tokenOf(username: string, services: INestApplicationContext): Promise<string> {
  const account = await services.get(UsersService).getByUsername(username);
  return services.get(Tokens).issue(account);
}

async function keepFresh(
  { io }: Session,
  services: INestApplicationContext,
  renew: () => Promise<void>,
): Promise<void> {
  const pause = Math.min((services.get(Tokens).lifetime * 1000) / 2, LONGEST_PAUSE);
  for (let wait = pause; await slept(wait, io.stop);) {
    try {
      await renew();
      wait = pause;
    } catch (error) {
      if (error instanceof ProblemError && error.slug !== 'service-unavailable') throw error;
      io.err(`The token was not renewed: ${(error as Error).message}. Trying again.`);
      wait = pause / ATTEMPTS;
    }
  }
}

/** False when the tool was told to stop meanwhile. */
async function slept(time: number, stop: AbortSignal): Promise<boolean> {
  await sleep(time, undefined, { signal: stop }).catch(() => undefined);
  return !stop.aborted;
}
