import { randomBytes } from 'node:crypto';
import type { INestApplicationContext } from '@nestjs/common';
import { Argument, type Command } from 'commander';
import { type Role, ROLES } from '../access/role.js';
import { SignUpRequest } from '../auth/auth.dto.js';
import { AuthService } from '../auth/auth.service.js';
import { readFields } from '../http/fields/fields.pipe.js';
import { UsersService } from '../users/users.service.js';
import { type Io, printable } from './io.js';
import { example } from './help.js';
import { withServices } from './services.js';
import type { Session } from './session.js';
import { withoutSecret, withSettings } from './target.js';

interface NewAccount {
  readonly username: string;
  readonly email: string;
  readonly firstName?: string;
  readonly lastName?: string;
  readonly admin?: boolean;
  readonly passwordStdin?: boolean;
}

export function addUserCommands(program: Command, session: Session): void {
  const user = program
    .command('user')
    .description('Manage accounts.')
    .addHelpText('after', example('user list'));
  user
    .command('create')
    .description('Make an account, under the rules of a sign-up.')
    .requiredOption('--username <NAME>', '3 to 50 characters, in use by nobody else')
    .requiredOption('--email <ADDRESS>', 'in use by nobody else')
    .option('--first-name <NAME>', 'none where it is left out')
    .option('--last-name <NAME>', 'none where it is left out')
    .option('--admin', 'with the role ADMIN in place of USER')
    .option(
      '--password-stdin',
      'read the password from standard input; otherwise one is made, and printed once',
    )
    .addHelpText('after', example('user create --username root --email root@example.com --admin'))
    .action((account: NewAccount) => create(session, account));
  user
    .command('list')
    .description('Show all accounts.')
    .addHelpText('after', example('user list'))
    .action(() => list(session));
  user
    .command('set-role')
    .description('Change what an account may do, from its next request on.')
    .argument('<username>', 'in any case of letters')
    .addArgument(new Argument('<role>', 'what it may do').choices(ROLES))
    .addHelpText('after', example('user set-role ada ADMIN'))
    .action((username: string, role: Role) => setRole(session, username, role));
  user
    .command('delete')
    .description('Delete an account without properties. Its tokens are refused from then on.')
    .argument('<username>', 'in any case of letters')
    .addHelpText('after', example('user delete ada'))
    .action((username: string) => remove(session, username));
}

async function create(session: Session, account: NewAccount): Promise<void> {
  const { io } = session;
  const { username, email, firstName, lastName, admin = false, passwordStdin = false } = account;
  const generated = passwordStdin ? undefined : randomBytes(18).toString('base64url');
  const password = generated ?? (await readPassword(io));
  const request = readFields(SignUpRequest, { username, email, firstName, lastName, password });
  const role = admin ? 'ADMIN' : 'USER';
  const { id } = await withAccounts(session, (services) => services.get(AuthService).register(request, role));
  io.out(`Created user ${id}, ${printable(request.username)}, ${role}`);
  if (generated !== undefined) io.out(`Password, shown this once: ${generated}`);
}

async function list(session: Session): Promise<void> {
  const accounts = await withAccounts(session, (services) => services.get(UsersService).accounts());
  const rows = accounts.map(({ id, role, username, email }) => [id, role, username, email].map(printable));
  for (const line of aligned([['ID', 'ROLE', 'USERNAME', 'E-MAIL'], ...rows])) session.io.out(line);
}

async function setRole(session: Session, username: string, role: Role): Promise<void> {
  await withAccounts(session, (services) => services.get(UsersService).setRole(username, role));
  session.io.out(`${printable(username)} is ${role} now`);
}

async function remove(session: Session, username: string): Promise<void> {
  await withAccounts(session, async (services) => {
    const users = services.get(UsersService);
    const { id } = await users.getByUsername(username);
    await users.delete(id);
  });
  session.io.out(`Deleted ${printable(username)}`);
}

function withAccounts<T>(
  { target, io }: Session,
  work: (services: INestApplicationContext) => Promise<T>,
): Promise<T> {
  return withSettings(withoutSecret(target), io, (settings) => withServices(settings, work));
}

/** All of it, but for the line break that `echo` adds. */
async function readPassword({ stdin }: Io): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks)
    .toString()
    .replace(/\r?\n$/, '');
}

function aligned(rows: readonly string[][]): string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  );
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
