/** What the service says against a request, from its problem document. */
export class Refusal extends Error {
  constructor({ title, detail, errors = {} }) {
    super(detail ?? title);
    this.title = title;
    this.errors = errors;
  }
}

/** Signs in. Resolves to the AuthResponse; the token in it is kept by nobody but the page that is open. */
export function signIn({ username, password }) {
  return post('api/auth/signin', { username, password });
}

/** Registers the account, and then signs in with it. */
export async function signUp({ email, username, password }) {
  await post('api/auth/signup', { email, username, password });
  return signIn({ username, password });
}

async function post(path, body) {
  const request = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
  const answer = await fetch(path, request).catch(() => {
    throw new Refusal({ title: 'No answer', detail: 'The service cannot be reached. Is it still running?' });
  });
  const document = await answer.json().catch(() => ({ title: `Status ${answer.status}` }));
  if (!answer.ok) throw new Refusal(document);
  return document;
}
