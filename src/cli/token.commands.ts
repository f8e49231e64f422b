import { setTimeout as sleep } from 'node:timers/promises';
import type { INestApplicationContext } from '@nestjs/common';
import { Tokens } from '../auth/tokens.js';
import { ProblemError } from '../http/problem/problem.js';
import { UsersService } from '../users/users.service.js';
import type { Command, Invocation } from './command.js';
import { UsageError } from './errors.js';
import { withServices } from './services.js';
import { withSettings } from './target.js';
import { type FileAccess, fileAccess, replaceFile } from './token-file.js';

/** A token is renewed after half of its life, and at least every day: a timer cannot wait for more than 24 days. */
const LONGEST_PAUSE = 24 * 3600 * 1000;
/** After a failure it is tried again this many times within what is left of a life. */
const ATTEMPTS = 20;

const mint: Command = {
  name: 'token mint',
  usage: '--user NAME [--watch] [--out FILE [--mode MODE] [--group GROUP]]',
  summary: 'Make an access token for an account, as a sign-in would.',
  example: 'token mint --user prometheus --watch --out /run/prometheus/token',
  details: {
    '--user NAME': 'the username of the account',
    '--out FILE': 'write it to a file, which is replaced as a whole, and which only its owner may read',
    '--mode MODE': 'the rights of that file in place of 600: 640 lets its group read it',
    '--group GROUP': 'the group of that file, by its name in /etc/group or by its number',
    '--watch': 'renew it after half of its life, until stopped',
  },
  options: {
    user: { type: 'string' },
    out: { type: 'string' },
    mode: { type: 'string' },
    group: { type: 'string' },
    watch: { type: 'boolean' },
  },
  required: ['user'],
  async run(invocation) {
    const { target, io, flag, text } = invocation;
    const isForFile = text('mode') !== undefined || text('group') !== undefined;
    if (isForFile && text('out') === undefined) throw new UsageError('--mode and --group go with --out');
    const access = await fileAccess(text('mode'), text('group'));
    await withSettings(target, io, (settings) =>
      withServices(settings, async (services) => {
        const renew = (): Promise<void> => deliver(invocation, services, access);
        await renew();
        if (flag('watch')) await keepFresh(invocation, services, renew);
      }),
    );
    return undefined;
  },
};

export const TOKEN_COMMANDS: readonly Command[] = [mint];

/** For the account as it is now. Throws not-found once it is deleted. */
async function deliver(
  { io, text }: Invocation,
  services: INestApplicationContext,
  access: FileAccess,
): Promise<void> {
  const account = await services.get(UsersService).getByUsername(text('user') ?? '');
  const token = services.get(Tokens).issue(account);
  const file = text('out');
  if (file === undefined) io.out(token);
  else await replaceFile(file, `${token}\n`, access);
}

async function keepFresh(
  { io }: Invocation,
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
