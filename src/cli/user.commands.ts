import { randomBytes } from 'node:crypto';
import type { INestApplicationContext } from '@nestjs/common';
import { Argument, type Command } from 'commander';
import { type Role, ROLES } from '../access/role.js';
import { NewPassword, SignUpRequest } from '../auth/auth.dto.js';
import { AuthService } from '../auth/auth.service.js';
import { readFields } from '../http/fields/fields.pipe.js';
import { NOBODY } from '../database/shares.js';
import { UsersService } from '../users/users.service.js';
import { Failure, UsageError } from './failures.js';
import { escaped, type Io, printable } from './io.js';
import { example } from './help.js';
import { withServices } from './services.js';
import type { Session } from './target.js';
import { withoutSecret, withSettings } from './target.js';

interface Options {
  readonly yes?: boolean;
  readonly passwordStdin?: boolean;
}

interface NewAccount extends Options {
  readonly username: string;
  readonly email: string;
  readonly firstName?: string;
  readonly lastName?: string;
  readonly admin?: boolean;
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
    .option('--first-name <NAME>', 'none by default')
    .option('--last-name <NAME>', 'none by default')
    .option('--admin', 'with the role ADMIN in place of USER')
    .option(
      '--password-stdin',
      'read the password from standard input; by default one is made, and printed once',
    )
    .addHelpText('after', example('user create --username root --email root@example.com --admin'))
    .action((account: NewAccount) => create(session, account));
  user
    .command('list')
    .description('Show all accounts.')
    .option('--json', 'for programs: the body of GET /api/users')
    .addHelpText('after', example('user list'))
    .action(({ json = false }: { json?: boolean }) => list(session, json));
  addChanges(user, session);
}

function addChanges(user: Command, session: Session): void {
  const change = (name: string, description: string, call: string): Command =>
    user
      .command(name)
      .description(description)
      .argument('<username>', 'in any case of letters')
      .addHelpText('after', example(call));
  const YES = ['--yes', 'do not ask, on a terminal, before the last ADMIN goes'] as const;
  change('set-role', 'Change the role of an account, from its next request on.', 'user set-role ada ADMIN')
    .addArgument(new Argument('<role>', 'its new role').choices(ROLES))
    .option(...YES)
    .action((username: string, role: Role, { yes = false }: Options) =>
      setRole(session, username, role, yes),
    );
  change(
    'set-password',
    'Give an account another password, under the rules of a sign-up. A terminal asks for it, and does not show it. ' +
      'Tokens that were issued before are valid until they expire.',
    'user set-password ada --password-stdin',
  )
    .option('--password-stdin', 'read it from standard input')
    .action((username: string, { passwordStdin = false }: Options) =>
      setPassword(session, username, passwordStdin),
    );
  change(
    'delete',
    'Delete an account without properties. Its tokens are refused from then on.',
    'user delete ada',
  )
    .option(...YES)
    .action((username: string, { yes = false }: Options) => remove(session, username, yes));
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

async function setRole(session: Session, username: string, role: Role, yes: boolean): Promise<void> {
  await withAccounts(session, async (services) => {
    const users = services.get(UsersService);
    if (role !== 'ADMIN') await warnOfLastAdmin(session, users, username, yes);
    await users.setRole(username, role);
  });
  session.io.out(`${printable(username)} is ${role} now`);
}

async function setPassword(session: Session, username: string, passwordStdin: boolean): Promise<void> {
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

async function remove(session: Session, username: string, yes: boolean): Promise<void> {
  await withAccounts(session, async (services) => {
    const users = services.get(UsersService);
    const { id } = await users.getByUsername(username);
    await warnOfLastAdmin(session, users, username, yes);
    await users.delete(NOBODY, id);
  });
  session.io.out(`Deleted ${printable(username)}`);
}

/** A terminal asks; a program gets the warning alone. */
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

/** The whole input, without the line break that `echo` adds. */
async function readPassword({ stdin }: Io): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk));
  return String(Buffer.concat(chunks)).replace(/\r?\n$/, '');
}

function aligned(rows: readonly string[][]): string[] {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
