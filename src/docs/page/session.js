const KEY = 'property-finance:session';

/** The problem with which the service refused a request. */
export class Refusal extends Error {
  constructor({ title, detail, errors = {} }) {
    super(detail ?? title);
    this.title = title;
    this.errors = errors;
  }
}

/** Resolves to the AuthResponse. */
export function signIn({ username, password }) {
  return post('api/auth/signin', { username, password });
}

/** Registers the account, then signs in with it. */
export async function signUp({ email, username, password }) {
  await post('api/auth/signup', { email, username, password });
  return signIn({ username, password });
}

/** Keeps a sign-in for this tab: it outlives a reload and ends with the tab. */
export function keepSession(session) {
  sessionStorage.setItem(KEY, JSON.stringify(session));
}

export function forgetSession() {
  sessionStorage.removeItem(KEY);
}

/** The sign-in that was kept, while its token is valid. */
export function keptSession() {
  const session = JSON.parse(sessionStorage.getItem(KEY));
  return session !== null && session.expiresAt > Date.now() ? session : undefined;
}

async function post(path, body) {
  const request = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
  const response = await fetch(path, request).catch(() => {
    throw new Refusal({
      title: 'No response',
      detail: 'The service cannot be reached. Is it still running?',
    });
  });
  const document = await response.json().catch(() => ({ title: `Status ${response.status}` }));
  if (!response.ok) throw new Refusal(document);
  return document;
}
