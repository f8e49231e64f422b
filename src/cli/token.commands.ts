import type { Command } from 'commander';
import { Tokens } from '../auth/tokens.js';
import { loadSettings } from '../config/env.js';
import { UsersRepository } from '../users/users.repository.js';
import { type Session, withEnvironment, withServices } from './session.js';

export function addTokenCommands(program: Command, session: Session): void {
  program
    .command('token')
    .description('Make access tokens.')
    .command('mint')
    .description('Make an access token for an account, as a sign-in would.')
    .requiredOption('--user <NAME>', 'the username of the account')
    .action(({ user }: { readonly user: string }) =>
      withEnvironment(session, (env) =>
        withServices(loadSettings(env), async (app) =>
          session.io.out(app.get(Tokens).issue(await app.get(UsersRepository).getByUsername(user))),
        ),
      ),
    );
}
