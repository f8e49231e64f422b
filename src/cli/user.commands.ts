import { randomBytes } from 'node:crypto';
import type { INestApplicationContext } from '@nestjs/common';
import { Argument, type Command } from 'commander';
import { type Role, ROLES } from '../access/role.js';
import { NewPassword, SignUpRequest } from '../auth/auth.dto.js';
import { AuthService } from '../auth/auth.service.js';
import { readFields } from '../http/fields/fields.pipe.js';
import { NOBODY } from '../database/shares.js';
import { UsersService } from '../users/users.service.js';
import { Failure, UsageError } from './errors.js';
import { escaped, type Io, printable } from './io.js';
import { example } from './help.js';
import { withServices } from './services.js';
import type { Session } from './session.js';
import { withoutSecret, withSettings } from './target.js';

interface NewAccount extends FromStdin {
  readonly username: string;
  readonly email: string;
  readonly firstName?: string;
  readonly lastName?: string;
  readonly admin?: boolean;
}

interface FromStdin {
  readonly passwordStdin?: boolean;
}

interface Confirmed {
  readonly yes?: boolean;
}

const YES = 'do not ask, on a terminal, where it is the last ADMIN';

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
    .option('--json', 'for programs: what an ADMIN gets from GET /api/users')
    .addHelpText('after', example('user list'))
    .action(({ json = false }: { json?: boolean }) => list(session, json));
  addChanges(user, session);
}

function addChanges(user: Command, session: Session): void {
  user
    .command('set-role')
    .description('Change what an account may do, from its next request on.')
    .argument('<username>', 'in any case of letters')
    .addArgument(new Argument('<role>', 'what it may do').choices(ROLES))
    .option('--yes', YES)
    .addHelpText('after', example('user set-role ada ADMIN'))
    .action((username: string, role: Role, options: Confirmed) => setRole(session, username, role, options));
  user
    .command('set-password')
    .description(
      'Give an account another password, under the rules of a sign-up. On a terminal it is asked for, and not shown. ' +
        'Tokens that were issued before are valid until they expire.',
    )
    .argument('<username>', 'in any case of letters')
    .option('--password-stdin', 'read it from standard input')
    .addHelpText('after', example('user set-password ada --password-stdin'))
    .action((username: string, options: FromStdin) => setPassword(session, username, options));
  user
    .command('delete')
    .description('Delete an account without properties. Its tokens are refused from then on.')
    .argument('<username>', 'in any case of letters')
    .option('--yes', YES)
    .addHelpText('after', example('user delete ada'))
    .action((username: string, options: Confirmed) => remove(session, username, options));
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

async function list(session: Session, json: boolean): Promise<void> {
  if (json) {
    const { text } = await withAccounts(session, (services) => services.get(UsersService).list(NOBODY));
    session.io.out(escaped(text));
    return;
  }
  const accounts = await withAccounts(session, (services) => services.get(UsersService).accounts());
  const rows = accounts.map(({ id, role, username, email }) => [id, role, username, email].map(printable));
  for (const line of aligned([['ID', 'ROLE', 'USERNAME', 'E-MAIL'], ...rows])) session.io.out(line);
}

async function setRole(
  session: Session,
  username: string,
  role: Role,
  { yes = false }: Confirmed,
): Promise<void> {
  await withAccounts(session, async (services) => {
    const users = services.get(UsersService);
    if (role !== 'ADMIN') await warnOfLastAdmin(session, users, username, yes);
    await users.setRole(username, role);
  });
  session.io.out(`${printable(username)} is ${role} now`);
}

async function setPassword(
  session: Session,
  username: string,
  { passwordStdin = false }: FromStdin,
): Promise<void> {
  const { io } = session;
  if (!passwordStdin && !io.isTerminal)
    throw new UsageError('Standard input is no terminal: use --password-stdin');
  await withAccounts(session, async (services) => {
    await services.get(UsersService).getByUsername(username);
    const password = passwordStdin ? await readPassword(io) : await askForPassword(io);
    await services.get(AuthService).setPassword(username, readFields(NewPassword, { password }));
  });
  io.out(`${printable(username)} has another password now; tokens issued before are valid until they expire`);
}

async function askForPassword(io: Io): Promise<string> {
  const password = await io.ask('New password: ', { hidden: true });
  if (password !== (await io.ask('The same again: ', { hidden: true })))
    throw new Failure('The two are not the same: nothing was changed.');
  return password;
}

async function remove(session: Session, username: string, { yes = false }: Confirmed): Promise<void> {
  await withAccounts(session, async (services) => {
    const users = services.get(UsersService);
    const { id } = await users.getByUsername(username);
    await warnOfLastAdmin(session, users, username, yes);
    await users.delete(NOBODY, id);
  });
  session.io.out(`Deleted ${printable(username)}`);
}

/** Somebody at a terminal is asked; a program is told, and knows what it does. */
async function warnOfLastAdmin(
  { io }: Session,
  users: UsersService,
  username: string,
  yes: boolean,
): Promise<void> {
  if (!(await users.isLastAdmin(username))) return;
  io.err(
    `${printable(username)} is the last ADMIN: afterwards only "user set-role" or "user create" makes another.`,
  );
  if (yes || !io.isTerminal) return;
  const answer = await io.ask('Go on (yes/no)? ');
  if (answer.trim().toLowerCase() !== 'yes') throw new Failure('Nothing was changed.');
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
