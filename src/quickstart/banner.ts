import type { Settings } from '../config/env.js';
import { type DemoAccount, DEMO_OWNER } from './demo/seed.js';
import type { Style } from './terminal.js';

export interface Banner {
  readonly url: string;
  readonly version: string;
  /** Of this project, for commands that must work from any folder. */
  readonly folder: string;
  readonly settings: Pick<Settings, 'apiDocs' | 'corsAllowedOrigins'>;
  readonly database: { readonly version: string; readonly folder: string; readonly socketDir: string };
  readonly migrations: { readonly applied: number; readonly justNow: number };
  /** The demo's accounts when it has just been filled in; their passwords are known at no later time. */
  readonly accounts: readonly DemoAccount[] | undefined;
  readonly now: Date;
}

/** Gives a text a style, or leaves it. */
type Paint = (style: Style, text: string) => string;

/** What the newcomer reads: where the service is and what belongs to it, who may sign in, and requests to paste. */
export function banner(about: Banner, paint: Paint = (_, text) => text): string {
  return [
    '',
    `${paint('bold', 'Property Finance Service')} ${about.version}: ${paint('cyan', about.url)}`,
    '',
    ...facts(about).map(([name, text]) => `  ${paint('dim', name.padEnd(NAME_WIDTH))}${text}`),
    '',
    ...introduction(about),
    ...requests(about),
    '',
    'Ctrl-C stops everything and keeps the data. npm run quickstart -- --reset starts over, -- --help says more.',
    '',
  ].join('\n');
}

const NAME_WIDTH = 12;

function facts({ url, settings, database, migrations }: Banner): [name: string, text: string][] {
  const { applied, justNow } = migrations;
  const origins = settings.corsAllowedOrigins.join(', ');
  return [
    ['Reference', settings.apiDocs ? `${url}/docs` : 'off (API_DOCS)'],
    ['Health', `${url}/actuator/health`],
    ['For ADMIN', `${url}/api/users, /actuator/info, /actuator/prometheus`],
    [
      'Database',
      `PostgreSQL ${database.version} in ${database.folder}/, on a socket in ${database.socketDir}`,
    ],
    ['Migrations', `${applied} applied, ${justNow === applied ? 'all' : justNow || 'none'} of them just now`],
    [
      'CORS',
      origins === ''
        ? 'off: web pages of other origins may not call (CORS_ALLOWED_ORIGINS)'
        : `on for ${origins}`,
    ],
    ['TLS', 'off: it belongs in front of the service'],
  ];
}

function introduction({ accounts, folder }: Banner): string[] {
  if (accounts === undefined)
    return [
      'The demo is as you left it; its passwords were shown at the first start. To set a new one, in another terminal:',
      '',
      `  npm --prefix ${quoted(folder)} run cli -- --quickstart user set-password ${DEMO_OWNER}`,
      '',
    ];
  const width = Math.max(...accounts.map(({ username }) => username.length));
  return [
    'A demo is filled in. Its passwords are shown this once and kept nowhere:',
    '',
    ...accounts.map(
      ({ username, role, password }) => `  ${username.padEnd(width)}  ${role.padEnd(5)}  ${password}`,
    ),
    '',
  ];
}

/** Three lines for any shell that POSIX knows: a token, a property with a transaction, and both found again. */
function requests(about: Banner): string[] {
  const { url, now } = about;
  const property = {
    name: 'Garden House',
    address: '7 Orchard Lane',
    basePrice: 120.5,
    maxGuests: 4,
    bedrooms: 2,
    bathrooms: 1,
    active: true,
  };
  const transaction = {
    type: 'INCOME',
    category: 'BOOKING_PAYMENT',
    description: 'Our first guests',
    amount: 361.5,
    date: now.toISOString(),
    status: 'PAID',
  };
  const body = JSON.stringify(transaction).replace('{', `{"propertyId":'$ID',`);
  return [
    'Sign in, create a property and record a transaction, find it and list it. In another terminal:',
    '',
    tokenLine(about),
    `ID=$(${post(`${url}/api/properties`, JSON.stringify(property))} | ${field('id')}) && ${post(`${url}/api/transactions`, body)}`,
    `${post(`${url}/api/transactions/search`, JSON.stringify({ searchTerm: 'first guests' }))} && ` +
      `curl -sS -w '\\n' ${AUTHORIZATION} "${url}/api/transactions/property/$ID"`,
  ];
}

const AUTHORIZATION = '-H "Authorization: Bearer $TOKEN"';

function tokenLine({ url, folder, accounts }: Banner): string {
  const account = accounts?.find(({ username }) => username === DEMO_OWNER);
  if (account === undefined)
    return `TOKEN=$(npm --prefix ${quoted(folder)} run --silent cli -- --quickstart token mint --user ${DEMO_OWNER})`;
  const body = JSON.stringify({ username: account.username, password: account.password });
  return `TOKEN=$(curl -sS -H 'Content-Type: application/json' -d '${body}' ${url}/api/auth/signin | ${field('accessToken')})`;
}

function post(url: string, body: string): string {
  return `curl -sS -w '\\n' ${AUTHORIZATION} -H 'Content-Type: application/json' -d '${body}' ${url}`;
}

/** Node is there for certain; jq is not. */
function field(name: string): string {
  return `node -p 'JSON.parse(require("fs").readFileSync(0)).${name}'`;
}

/** For a POSIX shell. */
function quoted(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
