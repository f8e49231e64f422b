const NEWEST = '?size=1&sort=id,desc';
const FIRST_ID = /^\{"content":\[\{"id":(\d+)/; // as text, because an id may have more digits than a double
const EXAMPLE_NAME = 'ada';

/**
 * Values that make the examples work for the signed-in account: its own ids, and names that are not taken. A PUT or
 * DELETE gets only ids of rows created on this page: one click should not change real rows.
 */
export class OwnRows {
  #newest = {};
  #made = {};
  #credentials;
  #fresh = `${EXAMPLE_NAME}-${Math.random().toString(36).slice(2, 8)}`;
  #userId;

  /** Finds the newest rows of the account. Resolves to false when the token is refused. */
  async signIn({ accessToken, user }) {
    const headers = { authorization: `Bearer ${accessToken}` };
    const paths = ['api/properties', 'api/transactions'];
    const calls = paths.map((path) => fetch(path + NEWEST, { headers }));
    const responses = await Promise.all(calls).catch(() => []);
    if (responses.some(({ status }) => status === 401)) return false;
    const texts = await Promise.all(responses.map((response) => response.text()));
    const [property, transaction] = texts.map((text) => FIRST_ID.exec(text)?.[1]);
    this.#newest = { property, transaction };
    this.#userId = String(user.id);
    return true;
  }

  signOut() {
    this.#newest = {};
    this.#made = {};
    this.#userId = undefined;
  }

  /** An account signed up by the example: the example of the sign-in uses it too. */
  signedUp(credentials) {
    this.#credentials = credentials;
  }

  /** A row that was created here. */
  created(location) {
    const [, kind, id] = /\/api\/(properties|transactions)\/(\d+)$/.exec(location ?? '') ?? [];
    if (kind === undefined) return;
    const name = kind === 'properties' ? 'property' : 'transaction';
    this.#newest[name] = id;
    this.#made[name] = id;
  }

  /** A row that was deleted here. */
  deleted(path) {
    for (const rows of [this.#newest, this.#made]) {
      for (const [name, id] of Object.entries(rows)) if (path.endsWith(`/${id}`)) delete rows[name];
    }
  }

  /** The id that a parameter of a path is filled in with. */
  idFor({ method, path, parameters }, name) {
    const { example } = parameters.find((parameter) => parameter.name === name);
    const isChange = method === 'PUT' || method === 'DELETE';
    if (path.startsWith('/api/users')) return isChange ? '' : (this.#userId ?? example);
    const kind = name === 'propertyId' || path.startsWith('/api/properties') ? 'property' : 'transaction';
    return isChange ? (this.#made[kind] ?? '') : (this.#newest[kind] ?? example);
  }

  /** The example of a body with the caller's own ids in it; in CSV they stand in the second column. */
  bodyFor({ id }, example) {
    const own = this.#newest.property ?? '1';
    if (typeof example === 'string') return example.replace(/^([^,\n]*,)1,/gm, `$1${own},`);
    const text = JSON.stringify(example, undefined, 2);
    if (id === 'signUp') return text.replaceAll(`"${EXAMPLE_NAME}`, `"${this.#fresh}`);
    if (id === 'signIn' && this.#credentials) return JSON.stringify(this.#credentials, undefined, 2);
    return text.replace(/("propertyId": )\d+/, `$1${own}`);
  }
}
