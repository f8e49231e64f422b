import { operationOf } from '../support/api-document.js';
import type { HttpResponse, Client } from '../support/client.js';
import { undocumented } from '../support/conformance.js';
import { createProperty, createTransaction } from '../support/factories.js';
import { Wire } from '../support/wire.js';
import type { Facts, FuzzRequest } from './requests.js';

/** The name of the stranger's property, and of its transaction: no response to another USER may have it. */
const FOREIGN = 'The property of a stranger';

/** Gives the user properties and transactions for random requests, and the stranger one of each. */
export async function makeFacts(
  user: Client,
  admin: Client,
  stranger: Client,
  count: number,
): Promise<Facts> {
  const properties: number[] = [];
  const transactions: number[] = [];
  for (let index = 0; index < count; index++) {
    const { id } = await createProperty(user);
    properties.push(id);
    for (let left = index % 3; left > 0; left--) transactions.push((await createTransaction(user, id)).id);
  }
  const { id: foreignProperty } = await createProperty(stranger, { name: FOREIGN });
  const { id: foreignTransaction } = await createTransaction(stranger, foreignProperty);
  const tokens = { user: user.token!, admin: admin.token! };
  return { ...tokens, properties, transactions, foreignProperty, foreignTransaction };
}

const excerpt = ({ bytes }: FuzzRequest): string => JSON.stringify(bytes.toString('latin1').slice(0, 600));

/** The statuses of the responses to random requests, and their faults. */
export class Tally {
  readonly statuses = new Map<number, number>();
  readonly faults: string[] = [];

  add(request: FuzzRequest, response: HttpResponse, facts: Facts): void {
    this.statuses.set(response.status, (this.statuses.get(response.status) ?? 0) + 1);
    const faults = faultsOf(request, response, facts);
    if (faults.length === 0) return;
    this.faults.push(`${faults.join('; ').slice(0, 300)} to ${excerpt(request)}`);
  }

  get responses(): number {
    return [...this.statuses.values()].reduce((sum, count) => sum + count, 0);
  }
}

function faultsOf(request: FuzzRequest, response: HttpResponse, facts: Facts): string[] {
  if (response.status >= 500) return [`status ${response.status}`];
  return [...undocumented(request.method, request.target, response), ...leaks(request, response, facts)];
}

/** A success that the caller must not have. */
function leaks(
  { method, target, bytes }: FuzzRequest,
  response: HttpResponse,
  { user, admin }: Facts,
): string[] {
  if (response.status >= 400 || bytes.includes(admin)) return [];
  const { path = '', operation } = operationOf(method, target) ?? {};
  const isOpen = operation === undefined || operation.security?.length === 0;
  const isForAdmin = /^\/(actuator|api\/users)(\/|$)/.test(path) && path !== '/api/users/me';
  if (!isOpen && (isForAdmin || !bytes.includes(user))) return [`${target} was answered without the right`];
  return response.text.includes(FOREIGN) ? [`${target} shows the row of another owner`] : [];
}

/** A connection that is kept for as long as the service keeps it. */
export class Lane {
  #wire: Wire | undefined;

  constructor(private readonly url: string) {}

  async send(request: FuzzRequest): Promise<HttpResponse> {
    const { bytes, method, isLast } = request;
    this.#wire ??= await Wire.open(this.url);
    const wire = this.#wire.send(bytes);
    let response: HttpResponse;
    do
      response = await wire.response({ head: method === 'HEAD' }).catch((error: unknown) => {
        throw new Error(`no response to ${excerpt(request)}`, { cause: error });
      });
    while (response.status < 200);
    if (isLast || response.headers.get('connection') !== 'keep-alive') this.close();
    return response;
  }

  close(): void {
    this.#wire?.destroy();
    this.#wire = undefined;
  }
}
