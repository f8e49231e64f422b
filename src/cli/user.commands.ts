import { randomBytes } from 'node:crypto';
import type { INestApplicationContext } from '@nestjs/common';
import { ROLES } from '../access/role.js';
import { SignUpRequest } from '../auth/auth.dto.js';
import { AuthService } from '../auth/auth.service.js';
import { readFields } from '../http/fields/validation.pipe.js';
import { UsersService } from '../users/users.service.js';
import type { Command, Invocation } from './command.js';
import { UsageError } from './errors.js';
import { type Io, printable } from './io.js';
import { withServices } from './services.js';
import { withoutSecret, withSettings } from './target.js';

const create: Command = {
  name: 'user create',
  usage:
    '--username NAME --email ADDRESS [--first-name NAME] [--last-name NAME] [--admin] [--password-stdin]',
  summary: 'Make an account, under the rules of a sign-up.',
  example: 'user create --username root --email root@example.com --admin',
  details: {
    '--username NAME': '3 to 50 characters, in use by nobody else',
    '--email ADDRESS': 'in use by nobody else',
    '--first-name NAME': 'none where it is left out',
    '--last-name NAME': 'none where it is left out',
    '--admin': 'with the role ADMIN in place of USER',
    '--password-stdin': 'read the password from standard input; otherwise one is made, and printed once',
  },
  options: {
    username: { type: 'string' },
    email: { type: 'string' },
    'first-name': { type: 'string' },
    'last-name': { type: 'string' },
    admin: { type: 'boolean' },
    'password-stdin': { type: 'boolean' },
  },
  required: ['username', 'email'],
  async run(invocation) {
    const { io, text, flag } = invocation;
    const generated = flag('password-stdin') ? undefined : randomBytes(18).toString('base64url');
    const request = readFields(SignUpRequest, {
      username: text('username'),
      email: text('email'),
      firstName: text('first-name'),
      lastName: text('last-name'),
      password: generated ?? (await readPassword(io)),
    });
    const role = flag('admin') ? 'ADMIN' : 'USER';
    const { id } = await withAccounts(invocation, (services) =>
      services.get(AuthService).register(request, role),
    );
    io.out(`Created user ${id}, ${printable(request.username)}, ${role}`);
    if (generated !== undefined) io.out(`Password, shown this once: ${generated}`);
    return undefined;
  },
};

const list: Command = {
  name: 'user list',
  usage: '',
  summary: 'Show all accounts.',
  example: 'user list',
  async run(invocation) {
    const accounts = await withAccounts(invocation, (services) => services.get(UsersService).accounts());
    const rows = accounts.map(({ id, role, username, email }) => [id, role, username, email].map(printable));
    for (const line of aligned([['ID', 'ROLE', 'USERNAME', 'E-MAIL'], ...rows])) invocation.io.out(line);
    return undefined;
  },
};

const setRole: Command = {
  name: 'user set-role',
  usage: '<username> USER|ADMIN',
  summary: 'Change what an account may do, from its next request on.',
  example: 'user set-role ada ADMIN',
  operands: ['username', 'role'],
  async run(invocation) {
    const { io, operand } = invocation;
    const role = ROLES.find((known) => known === operand(1));
    if (role === undefined) throw new UsageError(`the role must be one of ${ROLES.join(', ')}`);
    await withAccounts(invocation, (services) => services.get(UsersService).setRole(operand(0), role));
    io.out(`${printable(operand(0))} is ${role} now`);
    return undefined;
  },
};

const remove: Command = {
  name: 'user delete',
  usage: '<username>',
  summary: 'Delete an account without properties. Its tokens are refused from then on.',
  example: 'user delete ada',
  operands: ['username'],
  async run(invocation) {
    const { io, operand } = invocation;
    await withAccounts(invocation, async (services) => {
      const users = services.get(UsersService);
      const { id } = await users.getByUsername(operand(0));
      await users.delete(id);
    });
    io.out(`Deleted ${printable(operand(0))}`);
    return undefined;
  },
};

export const USER_COMMANDS: readonly Command[] = [create, list, setRole, remove];

function withAccounts<T>(
  { target, io }: Invocation,
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
