// The code of the README, in its order. A test runs it, and compares the two.
import {
  createClient,
  isProblem,
  NoResponseError,
  ProblemError,
  type PropertyFinanceClient,
  type TransactionRequest,
  UnexpectedResponseError,
  unwrap,
} from '../src/public.js';

/** Goes through all of it, with a new account of this name. */
export async function tour(baseUrl: string, username: string, print: (line: string) => void): Promise<void> {
  const credentials = { username, password: 'correct horse battery staple' };
  const client = createClient({ baseUrl, credentials });
  await unwrap(
    client.POST('/api/auth/signup', { body: { ...credentials, email: `${username}@example.com` } }),
  );
  await record(client, print);
  await look(client, print);
  await report(client, print);
  await refuse(client, print);
  client.signOut();
}

async function record(client: PropertyFinanceClient, print: (line: string) => void): Promise<void> {
  const { data: loft } = await client.properties.create({
    name: 'Harbour Loft',
    address: '12 Quay Street, Porto',
    basePrice: '145.50',
    maxGuests: 4,
    bedrooms: 2,
    bathrooms: 1,
    active: true,
  });
  const stay: TransactionRequest = {
    propertyId: loft.id,
    type: 'INCOME',
    category: 'BOOKING_PAYMENT',
    description: 'Three nights in March',
    amount: '436.50',
    date: '2026-03-14T15:00:00Z',
    paymentReference: 'TRF-88121',
  };
  const { data: income, etag } = await client.transactions.create(stay);
  print(`${income.id}: ${income.amount}`); // both are strings, with the digits that the service sent

  const paid = { ...stay, status: 'PAID', paidAt: '2026-03-16T09:00:00Z' } as const;
  await client.transactions.replace(income.id, paid, { ifMatch: etag });
  await client.transactions.update(income.id, (current) => ({
    ...current,
    tags: [...current.tags, 'spring'],
  }));
}

async function look(client: PropertyFinanceClient, print: (line: string) => void): Promise<void> {
  const me = await unwrap(client.GET('/api/users/me'));
  const { data, error } = await client.GET('/api/transactions', { params: { query: { size: 1 } } });
  if (data) print(`${me.username} has ${data.totalElements} transactions`);
  else print(error.detail);

  for await (const { date, description, amount } of client.transactions.all()) {
    print(`${date} ${description} ${amount}`);
  }

  const search = { type: 'INCOME', minAmount: '100', sortBy: 'amount', sortDirection: 'desc' } as const;
  for await (const { description } of client.transactions.search(search)) {
    print(`the largest income: ${description}`);
    break; // no further page is asked for
  }

  const file = await client.transactions.export({ type: 'INCOME' }, { format: 'csv' });
  let bytes = 0;
  for await (const piece of file) bytes += piece.length; // or file.pipeTo(…)
  print(`the file has ${bytes} bytes`);
}

async function report(client: PropertyFinanceClient, print: (line: string) => void): Promise<void> {
  const year = { from: '2026-01-01', to: '2026-12-31', timeZone: 'Europe/Lisbon' };
  const { total, groups } = await client.reports.profitAndLoss({ ...year, groupBy: ['property', 'month'] });
  for (const { propertyName, groups: months } of groups)
    for (const { period, net } of months) print(`${propertyName}, ${period}: ${net}`);
  print(`2026: ${total.income} - ${total.expenses} = ${total.net}`);

  const taxes = await client.reports.taxYear({ year: 2026, basis: 'accrual' });
  for (const { line, label, amount } of taxes.total.lines)
    if (amount !== '0.00') print(`line ${line}, ${label}: ${amount}`);

  const { overdue } = await client.reports.cashFlow({ months: 3 });
  print(`overdue: ${overdue.payable}`);
}

async function refuse(client: PropertyFinanceClient, print: (line: string) => void): Promise<void> {
  for await (const property of client.properties.all()) {
    try {
      await client.properties.delete(property.id);
    } catch (error) {
      if (!isProblem(error, 'resource-in-use')) throw error;
      print(`${property.name} stays: ${error.problem.detail}`);
    }
    try {
      await client.properties.replace(property.id, { ...property, maxGuests: 0 });
    } catch (error) {
      print(explain(error));
    }
  }
}

function explain(error: unknown): string {
  if (error instanceof ProblemError) {
    const { problem } = error;
    switch (problem.slug) {
      case 'validation-failed':
        return Object.entries(problem.errors)
          .map(([field, fault]) => `${field} ${fault}`)
          .join('; ');
      case 'internal-error':
      case 'service-unavailable':
        return `Try again later, and name ${problem.correlationId} when you ask for help.`;
      default:
        return problem.detail ?? problem.type;
    }
  }
  if (error instanceof NoResponseError) return error.message;
  if (error instanceof UnexpectedResponseError) return `Something else answered: ${error.text.slice(0, 80)}`;
  throw error;
}
