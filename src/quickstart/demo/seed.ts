import { randomBytes } from 'node:crypto';
import type { INestApplicationContext } from '@nestjs/common';
import type { Role } from '../../common/access/caller.js';
import { AuthService } from '../../auth/auth.service.js';
import { PropertiesService } from '../../properties/properties.service.js';
import { TransactionsService } from '../../transactions/transactions.service.js';
import { historyOf } from './history.js';
import { HOMES } from './homes.js';

/** An account of the demo, with its password, which is kept nowhere. */
export type DemoAccount = Readonly<{ username: string; role: Role; password: string }>;

const ACCOUNTS = [
  { username: 'admin', role: 'ADMIN', firstName: 'Ada', lastName: 'Administrator' },
  { username: 'olivia', role: 'USER', firstName: 'Olivia', lastName: 'Owens' },
  { username: 'marco', role: 'USER', firstName: 'Marco', lastName: 'Bianchi' },
] as const;

export const DEMO_OWNER = 'olivia'; // signed in by the example requests

/** Three accounts, three properties, and a year of their business up to `now`, all through the services. Given up once aborted. */
export async function seedDemo(app: INestApplicationContext, now: Date, signal?: AbortSignal) {
  const accounts: DemoAccount[] = [];
  for (const { username, role, firstName, lastName } of ACCOUNTS) {
    const password = randomBytes(12).toString('base64url');
    const email = `${username}@example.com`;
    const request = { email, username, password, firstName, lastName };
    const caller = await app.get(AuthService).register(request, role);
    accounts.push({ username, role, password });
    for (const home of HOMES.filter(({ owner }) => owner === username)) {
      const { id: propertyId } = await app.get(PropertiesService).create(caller, home.property);
      for (const entry of historyOf(home, now)) {
        signal?.throwIfAborted();
        await app.get(TransactionsService).create(caller, { ...entry, propertyId });
      }
    }
  }
  return accounts;
}
