import type { INestApplicationContext } from '@nestjs/common';
import type { Command } from 'commander';
import { Tokens } from '../auth/tokens.js';
import { UsersService } from '../users/users.service.js';
import { UsageError } from './errors.js';
import { example } from './help.js';
import { withServices } from './services.js';
import type { Session } from './session.js';
import { withSettings } from './target.js';
import { fileAccess, replaceFile } from './token-file.js';
import { keepFresh } from './token-watch.js';

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
    .option(
      '--watch',
      'renew it after half of its life, until stopped, and try on while the database is away, which is told once',
    )
    .addHelpText('after', example('token mint --user prometheus --watch --out /run/prometheus/token'))
    .action((options: Mint) => mint(session, options));
}

async function mint(session: Session, { user, out, mode, group, watch = false }: Mint): Promise<void> {
  if ((mode !== undefined || group !== undefined) && out === undefined)
    throw new UsageError('--mode and --group go with --out');
  const access = await fileAccess(mode, group);
  await withSettings(session.target, session.io, async (settings) => {
    const renew = async (services: INestApplicationContext): Promise<void> => {
      const token = await tokenOf(user, services);
      if (out === undefined) session.io.out(token);
      else await replaceFile(out, `${token}\n`, access);
    };
    if (watch) await keepFresh(session.io, settings, renew);
    else await withServices(settings, renew);
  });
}

/** For the account as it is now. Throws not-found once it is deleted. */
async function tokenOf(username: string, services: INestApplicationContext): Promise<string> {
  const account = await services.get(UsersService).getByUsername(username);
  return services.get(Tokens).issue(account);
}
