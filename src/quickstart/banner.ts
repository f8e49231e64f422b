import { resolve } from 'node:path';
import { readBuildInfo } from '../config/build-info.js';
import { DATA_FOLDER } from './data.js';
import { DEMO_OWNER } from './demo/seed.js';
import type { Quickstart } from './quickstart.js';

/** What a newcomer needs: where everything is, who may sign in, and requests to paste. */
export function banner(started: Quickstart, folder = resolve('.')): string {
  const { url, settings, database, accounts } = started;
  const cli = `npm --prefix ${shellWord(folder)} run --silent cli -- --quickstart`;
  const origins = settings.corsAllowedOrigins.join(', ');
  const cors = origins === '' ? 'off: web pages of other origins may not call' : `on for ${origins}`;
  return [
    '',
    `Property Finance Service ${readBuildInfo().version}: ${url}`,
    '',
    `  Reference   ${settings.apiDocs ? `${url}/docs` : 'off (API_DOCS)'}`,
    `  Health      ${url}/actuator/health`,
    `  Database    PostgreSQL ${database.version} in ${DATA_FOLDER}/, on a socket in ${database.socketDir}`,
    `  CORS        ${cors} (CORS_ALLOWED_ORIGINS)`,
    '',
    accounts === undefined
      ? 'The demo is as you left it; its passwords were shown at the first start. To set a new one, in another terminal:'
      : 'A demo is filled in. Its passwords are shown only this once and kept nowhere:',
    '',
    ...(accounts?.map(
      ({ username, role, password }) => `  ${username.padEnd(6)}  ${role.padEnd(5)}  ${password}`,
    ) ?? [`  ${cli} user set-password ${DEMO_OWNER}`]),
    '',
    'Sign in, create a property and record a transaction, find it and list it. In another terminal:',
    '',
    `TOKEN=$(${tokenCommand(started, cli)})`,
    ...requests(url),
    '',
    'Ctrl-C stops everything and keeps the data. npm run quickstart -- --reset starts over, -- --help says more.',
    '',
  ].join('\n');
}

function tokenCommand({ url, accounts }: Quickstart, cli: string): string {
  const owner = accounts?.find(({ username }) => username === DEMO_OWNER);
  if (owner === undefined) return `${cli} token mint --user ${DEMO_OWNER}`;
  const body = JSON.stringify({ username: owner.username, password: owner.password });
  return `curl -sS -H 'Content-Type: application/json' -d '${body}' ${url}/api/auth/signin | ${field('accessToken')}`;
}

const AUTHORIZATION = '-H "Authorization: Bearer $TOKEN"';

function requests(url: string): string[] {
  const property = {
    ...{ name: 'Garden House', address: '7 Orchard Lane', basePrice: 120.5 },
    ...{ maxGuests: 4, bedrooms: 2, bathrooms: 1, active: true },
  };
  const date = new Date().toISOString();
  const transaction = {
    ...{ type: 'INCOME', category: 'BOOKING_PAYMENT', description: 'Our first guests', amount: 361.5 },
    ...{ date, status: 'PAID', paidAt: date },
  };
  const post = (path: string, body: string): string =>
    `curl -sS -w '\\n' ${AUTHORIZATION} -H 'Content-Type: application/json' -d '${body}' ${url}${path}`;
  const body = JSON.stringify(transaction).replace('{', `{"propertyId":'$ID',`);
  return [
    `ID=$(${post('/api/properties', JSON.stringify(property))} | ${field('id')}) && ${post('/api/transactions', body)}`,
    `${post('/api/transactions/search', JSON.stringify({ searchTerm: 'first guests' }))} && ` +
      `curl -sS -w '\\n' ${AUTHORIZATION} "${url}/api/transactions/property/$ID"`,
  ];
}

/** Node is there for certain; jq is not. */
const field = (name: string): string => `node -p 'JSON.parse(require("fs").readFileSync(0)).${name}'`;

/** For a POSIX shell. */
function shellWord(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
