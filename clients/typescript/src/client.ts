import createApi, { type Client, createQuerySerializer, defaultPathSerializer } from 'openapi-fetch';
import { checkBaseUrl, rightBasePath } from './base-url.js';
import { exactResponses } from './exact-responses.js';
import { encodeBody, integerDigits } from './exact-json.js';
import { INT64_FIELDS } from './generated/fields.js';
import type { AuthResponse, paths } from './generated/schema.js';
import { Properties } from './resources/properties.js';
import { Reports } from './resources/reports.js';
import { Transactions } from './resources/transactions.js';
import { type Credentials, Session, type TokenProvider } from './session.js';
import { type RetryOptions, withRetries } from './transport/retries.js';
import type { Send } from './transport/send.js';
import { withToken } from './transport/tokens.js';
import { wholeResponses } from './transport/whole-responses.js';
import { unwrap } from './unwrap.js';

export interface ClientOptions {
  /** Where the service is, such as `https://ledger.example.com`. */
  readonly baseUrl: string;
  /** The account. They may also come later, by `signIn`; without them the client is anonymous. */
  readonly credentials?: Credentials;
  /** For a program, in place of credentials: a key of `POST /api/keys`. */
  readonly apiKey?: string;
  /** In place of credentials: a source of access tokens. */
  readonly token?: TokenProvider;
  /** Milliseconds that one try may take; 30,000 by default. */
  readonly timeout?: number;
  /** By default four tries, with pauses from 200 to 5,000 milliseconds. */
  readonly retries?: Partial<RetryOptions>;
  /** In place of the platform's own. */
  readonly fetch?: Send;
}

/** Every operation by its path, as openapi-fetch has it, and the common ones by name. */
export interface PropertyFinanceClient extends Client<paths> {
  readonly properties: Properties;
  readonly transactions: Transactions;
  readonly reports: Reports;
  /** Signs in now, and with these credentials from here on. Otherwise that happens when a token is needed. */
  signIn(credentials?: Credentials): Promise<AuthResponse>;
  /** Forgets credentials and tokens. */
  signOut(): void;
}

const RETRIES: RetryOptions = { tries: 4, pause: 200, longestPause: 5_000 };

export function createClient(options: ClientOptions): PropertyFinanceClient {
  const { baseUrl, timeout = 30_000, retries, fetch = (request) => globalThis.fetch(request) } = options;
  const { apiKey, credentials, token = apiKey === undefined ? undefined : onlyKey(apiKey) } = options;
  const session = new Session((body) => unwrap(api.POST('/api/auth/signin', { body })), {
    credentials,
    token,
  });
  const api: Client<paths> = createApi<paths>({
    baseUrl: checkBaseUrl(baseUrl),
    fetch: withRetries(withToken(wholeResponses(fetch, timeout), session), { ...RETRIES, ...retries }),
    bodySerializer: encodeBody,
    pathSerializer: exactPath,
    querySerializer: exactQuery,
    credentials: 'omit', // the service knows no cookies
  });
  api.use(exactResponses, rightBasePath);
  return Object.assign(api, {
    properties: new Properties(api),
    transactions: new Transactions(api),
    reports: new Reports(api),
    signIn: (credentials?: Credentials) => session.signIn(credentials),
    signOut: () => session.signOut(),
  });
}

/** A key that is refused is not sent again. */
function onlyKey(key: string): TokenProvider {
  return (refused) => (refused === undefined ? key : undefined);
}

/** All parameters in the paths of this API are ids. */
function exactPath(path: string, params: Record<string, unknown>): string {
  const digits = Object.entries(params).map(([name, value]) => [name, integerDigits(name, value)] as const);
  return defaultPathSerializer(path, Object.fromEntries(digits));
}

const serializeQuery = createQuerySerializer<Record<string, unknown>>();

function exactQuery(query: Record<string, unknown>): string {
  const exact = Object.entries(query).map(([name, value]) => {
    const isId = INT64_FIELDS.has(name) && value !== undefined && value !== null;
    return [name, isId ? integerDigits(name, value) : value] as const;
  });
  return serializeQuery(Object.fromEntries(exact));
}
