import { randomBytes } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { Argument, type Command } from 'commander';
import { type Role, ROLES } from '../common/access/caller.js';
import { AuthService } from '../auth/auth.service.js';
import { NewPassword, SignUpRequest } from '../auth/dto/auth.request.js';
import { readFields } from '../common/validation/fields.js';
import { NOBODY } from '../database/shares.js';
import { UsersRepository } from '../users/users.repository.js';
import { type Io, printable } from './io.js';
import { type Session, settingsOf, type Task, withServices } from './session.js';

type PasswordOption = Readonly<{ passwordStdin?: boolean }>;

interface NewAccount extends PasswordOption {
  readonly username: string;
  readonly email: string;
  readonly admin?: boolean;
}

const PASSWORD_STDIN = [
  '--password-stdin',
  'read the password from standard input; without it, one is generated and printed once',
] as const;

export function addUserCommands(program: Command, session: Session): void {
  const user = program.command('user').description('Manage accounts.');
  user
    .command('create')
    .description('Create an account, by the rules of sign-up.')
    .requiredOption('--username <NAME>', '3 to 50 characters, in use by nobody else')
    .requiredOption('--email <ADDRESS>', 'in use by nobody else')
    .option('--admin', 'with the role ADMIN instead of USER')
    .option(...PASSWORD_STDIN)
    .action((account: NewAccount) => create(session, account));
  user
    .command('list')
    .description('Show all accounts.')
    .action(() => list(session));
  user
    .command('set-role')
    .description('Change the role of an account, from its next request on.')
    .argument('<username>', 'in any letter case')
    .addArgument(new Argument('<role>', 'its new role').choices(ROLES))
    .action((username: string, role: Role) => setRole(session, username, role));
  user
    .command('set-password')
    .description('Change the password of an account. Tokens issued before remain valid until they expire.')
    .argument('<username>', 'in any letter case')
    .option(...PASSWORD_STDIN)
    .action((username: string, options: PasswordOption) => setPassword(session, username, options));
  user
    .command('delete')
    .description('Delete an account without properties. Its tokens are refused from then on.')
    .argument('<username>', 'in any letter case')
    .action((username: string) => remove(session, username));
}

async function create(session: Session, { admin = false, ...account }: NewAccount): Promise<void> {
  const password = await newPassword(session.io, account);
  const request = readFields(SignUpRequest, { ...account, password: password.text });
  const role = admin ? 'ADMIN' : 'USER';
  const { id } = await withAccounts(session, (app) => app.get(AuthService).register(request, role));
  session.io.out(`Created user ${id}, ${printable(request.username)}, ${role}`);
  password.show();
}

async function list(session: Session): Promise<void> {
  const accounts = await withAccounts(session, (app) => app.get(UsersRepository).accounts());
  session.io.out('ID\tROLE\tUSERNAME\tE-MAIL');
  for (const { id, role, username, email } of accounts)
    session.io.out([id, role, username, email].map(printable).join('\t'));
}

async function setRole(session: Session, username: string, role: Role): Promise<void> {
  await change(session, (users) => users.update(username, { role }));
  session.io.out(`${printable(username)} is ${role} now`);
}

async function setPassword(session: Session, username: string, options: PasswordOption): Promise<void> {
  const { io } = session;
  const password = await newPassword(io, options);
  const request = readFields(NewPassword, { password: password.text });
  await withAccounts(session, (app) => app.get(AuthService).setPassword(username, request));
  io.out(`${printable(username)} has a new password; tokens issued before remain valid until they expire`);
  password.show();
}

async function remove(session: Session, username: string): Promise<void> {
  await change(session, async (users) => users.delete(NOBODY, (await users.getByUsername(username)).id));
  session.io.out(`Deleted ${printable(username)}`);
}

/** Warns when no ADMIN is left. */
async function change(session: Session, work: (users: UsersRepository) => Promise<void>): Promise<void> {
  const accounts = await withAccounts(session, async (app) => {
    const users = app.get(UsersRepository);
    await work(users);
    return users.accounts();
  });
  if (!accounts.some(({ role }) => role === 'ADMIN'))
    session.io.err('No ADMIN is left: make one with "user set-role" or "user create".');
}

async function withAccounts<T>(session: Session, work: Task<T>): Promise<T> {
  return withServices(await settingsOf(session), work);
}

/** A password made here, which is shown once; or the whole standard input without the line break that `echo` adds. */
async function newPassword(io: Io, { passwordStdin = false }: PasswordOption) {
  if (passwordStdin) return { text: (await text(io.stdin)).replace(/\r?\n$/, ''), show: () => undefined };
  const made = randomBytes(18).toString('base64url');
  return { text: made, show: () => io.out(`Password, shown this once: ${made}`) };
}
