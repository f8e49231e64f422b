import { Account } from './account.js';
import { Contents } from './contents.js';
import { byId, element } from './dom.js';
import { inline, markdown } from './markdown.js';
import { Operation } from './operation.js';
import { readOperations } from './operations.js';
import { OwnRows } from './own-rows.js';
import { signIn } from './session.js';

const REFUSED = 'Your token is no longer valid. Sign in again.';

const openapi = await (await fetch('docs/openapi.json')).json();
const groups = readOperations(openapi);
const rows = new OwnRows();
const account = new Account(takeOver);
const operations = [];

show();
await account.resume();

function show() {
  byId('version').textContent = openapi.info.version;
  byId('introduction').append(...markdown(openapi.info.description));
  for (const group of groups) {
    const title = element('header.group', element('h2', group.name), element('p', inline(group.description)));
    const own = group.operations.map((one) => new Operation(openapi, one, send));
    byId('api').append(title, ...own.map((one) => one.element));
    operations.push(...own);
  }
  new Contents(groups);
  fillIn();
  byId(location.hash.slice(1))?.scrollIntoView(); // the browser looked before it was there
}

async function takeOver(session) {
  rows.signOut();
  fillIn();
  if (session === null) return;
  if (await rows.signIn(session)) fillIn();
  else account.signOut(REFUSED);
}

function fillIn() {
  for (const one of operations)
    one.fill(
      (name) => rows.idFor(one.operation, name),
      (example) => rows.bodyFor(one.operation, example),
    );
}

/** Sends a request as the form has it, with the token of the signed-in account. */
async function send(operation, { method, url, headers, body }) {
  const sent = new Headers(headers);
  if (account.token === null) sent.delete('authorization');
  else sent.set('authorization', `Bearer ${account.token}`);
  const startedAt = performance.now();
  const response = await fetch(url, { method, headers: sent, body }).catch(() => {
    throw new Error('The service cannot be reached. Is it still running?');
  });
  const file = await response.blob();
  const text = await file.text();
  const milliseconds = performance.now() - startedAt;
  await notice(operation, { url, body, response, text });
  const { status, statusText } = response;
  return { status, statusText, headers: response.headers, text, file, milliseconds };
}

/** Applies a response to the page: the signed-in account and the known rows. */
async function notice({ id, method }, { url, body, response, text }) {
  // A token ends with the account, and when the service gets another secret.
  if (response.headers.get('www-authenticate')?.includes('invalid_token')) account.signOut(REFUSED);
  if (!response.ok) return;
  if (id === 'signUp') {
    const { username, password } = JSON.parse(body);
    rows.signedUp({ username, password });
    if (account.token === null) await account.welcome(await signIn({ username, password }));
  }
  if (id === 'signIn') await account.welcome(JSON.parse(text));
  rows.created(response.headers.get('location'));
  if (method === 'DELETE') rows.deleted(new URL(url).pathname);
  fillIn();
}
