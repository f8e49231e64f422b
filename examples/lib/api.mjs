import { readExactJson } from './exact-json.mjs';

const PATIENCE_MS = 60_000;

/** The request failed; the message says why. */
export class Failure extends Error {}

/** A response of 4xx or 5xx. */
export class Refusal extends Failure {
  constructor(
    status,
    { title = `Status ${status}`, detail = '', errors = {}, findings = [], correlationId },
  ) {
    const faults = Object.entries(errors).map(([field, message]) => `${field} ${message}`);
    const reason = faults.join(', ') || detail;
    const reference = correlationId === undefined ? '' : `; correlation id ${correlationId}`;
    super(`${title}${reason === '' ? '' : `: ${reason}`}${reference}`);
    this.findings = findings;
  }
}

/** Calls the service as one account. Numbers are texts of digits. */
export class Api {
  #url;
  #authorization = {};

  constructor(url, credential) {
    this.#url = url.replace(/\/+$/, '');
    if (credential !== undefined) this.#authorization = { authorization: `Bearer ${credential}` };
  }

  static async signIn(url, credentials) {
    const { json } = await new Api(url).send('POST', '/api/auth/signin', JSON.stringify(credentials));
    if (json?.accessToken === undefined)
      throw new Failure('The server at this address is not the service; see --url');
    return new Api(url, json.accessToken);
  }

  async send(method, path, body, more = {}) {
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    const headers = { ...type, ...more, ...this.#authorization };
    const { response, text } = await this.#fetch(path, { method, headers, body });
    const json = jsonIn(text);
    if (!response.ok) throw new Refusal(response.status, json ?? {});
    return { json, text, etag: response.headers.get('etag') };
  }

  /** Every property that the account may see. */
  async properties() {
    const all = [];
    for (let page = 0, last = false; !last; page++) {
      const { json } = await this.send('GET', `/api/properties?size=100&page=${page}`);
      all.push(...json.content);
      last = json.last;
    }
    return all;
  }

  async #fetch(path, request) {
    try {
      const signal = globalThis.AbortSignal.timeout(PATIENCE_MS);
      const response = await globalThis.fetch(this.#url + path, { ...request, signal });
      return { response, text: await response.text() };
    } catch (error) {
      throw new Failure(
        `${this.#url} does not respond (${error.cause?.code ?? error.cause?.message ?? error.message}); see --url`,
      );
    }
  }
}

/** Undefined for a body that is not JSON. */
function jsonIn(text) {
  try {
    return readExactJson(text);
  } catch {
    return undefined;
  }
}
