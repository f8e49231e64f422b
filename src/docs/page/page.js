import { Account } from './account.js';
import { listOperations } from './contents.js';
import { EmptyHeaders, ExactAnswers, FoldedProblems, ScrollBelowBar } from './plugins.js';

const ui = globalThis.SwaggerUIBundle({
  url: 'docs/openapi.json',
  domNode: document.getElementById('api'),
  plugins: [EmptyHeaders, ExactAnswers, FoldedProblems, ScrollBelowBar],
  deepLinking: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  syntaxHighlight: { theme: 'nord' },
  validatorUrl: null,
  responseInterceptor: noticeRefusedToken,
  onComplete: () => show(ui.specSelectors.specJson().toJS()),
});

// Swagger UI itself looks at the address only once.
addEventListener('hashchange', () => {
  ui.layoutActions.parseDeepLinkHash(location.hash);
  const id = `operations${decodeURIComponent(location.hash.slice(1)).replaceAll('/', '-')}`;
  requestAnimationFrame(() => document.getElementById(id)?.scrollIntoView());
});

let account;

function show(openapi) {
  document.getElementById('version').textContent = openapi.info.version;
  listOperations(document.getElementById('contents'), openapi);
  const schemes = bearerSchemes(openapi);
  account = new Account((token) => {
    if (token === null) ui.authActions.logout(schemes);
    else for (const name of schemes) ui.preauthorizeApiKey(name, token);
  });
}

function bearerSchemes({ components }) {
  return Object.entries(components.securitySchemes)
    .filter(([, { type, scheme }]) => type === 'http' && scheme === 'bearer')
    .map(([name]) => name);
}

/** A token ends with the account, and when the service gets another secret. */
function noticeRefusedToken(response) {
  const challenge = String(response.headers?.['www-authenticate']); // an array when there is a comma in it
  if (challenge.includes('invalid_token'))
    account.signOut('Your token is not valid any more. Sign in again.');
  return response;
}
