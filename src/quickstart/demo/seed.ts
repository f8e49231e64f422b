import { randomBytes } from 'node:crypto';
import type { INestApplicationContext } from '@nestjs/common';
import type { Caller } from '../../access/caller.js';
import type { Role } from '../../access/role.js';
import { AuthService } from '../../auth/auth.service.js';
import { PropertiesService } from '../../properties/properties.service.js';
import { TransactionsService } from '../../transactions/transactions.service.js';
import { Calendar } from './calendar.js';
import { SeededRandom } from './seeded-random.js';
import type { Entry } from './entry.js';
import { type Home, HOMES } from './homes.js';
import { incidents } from './incidents.js';
import { runningCosts } from './running-costs.js';
import { entriesOfStays } from './stays.js';

/** An account of the demo, with the password that nothing else keeps in clear. */
export interface DemoAccount {
  readonly username: string;
  readonly role: Role;
  readonly password: string;
}

const ACCOUNTS = [
  { username: 'admin', role: 'ADMIN', firstName: 'Ada', lastName: 'Administrator' },
  { username: 'olivia', role: 'USER', firstName: 'Olivia', lastName: 'Owens' },
  { username: 'marco', role: 'USER', firstName: 'Marco', lastName: 'Bianchi' },
] as const;

/** Whom the example requests sign in. */
export const DEMO_OWNER = 'olivia';

/** Told how many of the transactions there are. */
type Tell = (done: number, all: number) => void;

interface History {
  readonly home: Home;
  readonly entries: readonly Entry[];
}

/** Three accounts, three properties, and a year of their business up to `now`, all through the services. */
export async function seedDemo(
  app: INestApplicationContext,
  now: Date,
  tell: Tell = () => undefined,
): Promise<DemoAccount[]> {
  const histories = HOMES.map((home) => ({ home, entries: historyOf(home, now) }));
  const all = histories.reduce((sum, { entries }) => sum + entries.length, 0);
  let done = 0;
  const count = (): void => tell(++done, all);
  const accounts: DemoAccount[] = [];
  for (const { username, role, firstName, lastName } of ACCOUNTS) {
    const password = randomBytes(12).toString('base64url');
    const email = `${username}@example.com`;
    const request = { email, username, password, firstName, lastName };
    const caller = await app.get(AuthService).register(request, role);
    accounts.push({ username, role, password });
    for (const history of histories.filter(({ home }) => home.owner === username))
      await fill(app, caller, history, count);
  }
  return accounts;
}

/** What a home took in and cost, in the order of its dates. The same for the same moment. */
export function historyOf(home: Home, now: Date): Entry[] {
  const random = new SeededRandom(home.seed);
  const calendar = new Calendar(now);
  const entries = [
    ...entriesOfStays(home, random, calendar),
    ...runningCosts(home, random, calendar),
    ...incidents(random, calendar),
  ];
  return entries.sort((a, b) => Date.parse(a.date) - Date.parse(b.date));
}

async function fill(
  app: INestApplicationContext,
  owner: Caller,
  { home, entries }: History,
  count: () => void,
): Promise<void> {
  const { id: propertyId } = await app.get(PropertiesService).create(owner, home.property);
  const transactions = app.get(TransactionsService);
  for (const entry of entries) {
    await transactions.create(owner, { ...entry, propertyId });
    count();
  }
}
