import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { readExactJson } from './exact-json.mjs';

const PATIENCE_MS = 30_000;
const ATTEMPTS = 5;
/** The service, or what stands before it, cannot answer just now. */
const TRANSIENT = [429, 502, 503, 504];

const NOT_THE_SERVICE = 'Something answers, but it is not the service; see --url';

/** What was asked has not been done, for a reason that the message tells in full. */
export class Failure extends Error {}

/** The service refused, and would again: its problem document says why. */
export class Refusal extends Failure {
  constructor(status, { title = `Status ${status}`, detail = '', errors = {}, correlationId }) {
    const faults = Object.entries(errors).map(([field, message]) => `${field} ${message}`);
    const reason = faults.join(', ') || detail;
    const reference = correlationId === undefined ? '' : `; correlation id ${correlationId}`;
    super(`${title}${reason === '' ? '' : `: ${reason}`}${reference}`);
    this.status = status;
  }
}

/** No answer, or one that says nothing about what was asked: nobody knows if it has been done. */
export class Unanswered extends Failure {
  constructor(reason, retryAfterMs) {
    super(`The service does not answer: ${reason}`);
    this.retryAfterMs = retryAfterMs;
  }
}

/** Calls the service as one account, and signs in again when the token has run out. Numbers are texts of digits. */
export class Api {
  #url;
  #credentials;
  #token;

  constructor(url, credentials) {
    this.#url = url.replace(/\/+$/, '');
    this.#credentials = credentials;
  }

  /** Signs in, so that a wrong address or password is noticed before the work begins. */
  async signIn() {
    await this.#validToken();
  }

  /** Asks for something that changes nothing, so it is asked again when no answer comes. */
  async read(method, path, body, headers) {
    return jsonOf(await this.#repeated(method, path, body, headers));
  }

  /** As {@link read}, of a file. */
  async download(method, path, body) {
    const { text } = await this.#repeated(method, path, body);
    return text;
  }

  /** Creates something, once: the service recognises a repetition by its key. */
  async create(path, body, headers) {
    return jsonOf(await this.#repeated('POST', path, body, { 'idempotency-key': randomUUID(), ...headers }));
  }

  /** Writes what `change` makes of the resource, unless somebody else has written it since it was read. */
  async update(path, change) {
    const { json, etag } = await this.#repeated('GET', path);
    return jsonOf(await this.#repeated('PUT', path, change(json), { 'if-match': etag }));
  }

  async #repeated(method, path, body, headers) {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#send(method, path, body, headers);
      } catch (error) {
        if (!(error instanceof Unanswered) || attempt === ATTEMPTS) throw error;
        await delay(error.retryAfterMs ?? 250 * 2 ** attempt);
      }
    }
  }

  /** Every property that the account may see. */
  async properties() {
    const all = [];
    const read = (page) => this.read('GET', `/api/properties?size=100&page=${page}`);
    for await (const { content } of this.pages(read)) all.push(...content);
    return all;
  }

  /** Every page of a list or search. */
  async *pages(read) {
    for (let page = 0, last = false; !last; page++) {
      const answer = await read(page);
      yield answer;
      last = answer.last;
    }
  }

  async #send(method, path, body, headers) {
    const token = this.#validToken();
    try {
      return await this.#exchange(method, path, body, await token, headers);
    } catch (error) {
      if (error.status !== 401) throw error;
    }
    // Refused before anything was done, so that even a POST may be sent again.
    if (this.#token === token) this.#token = undefined;
    return this.#exchange(method, path, body, await this.#validToken(), headers);
  }

  /** One sign-in for all that wait for it. */
  #validToken() {
    this.#token ??= this.#newToken();
    return this.#token;
  }

  async #newToken() {
    try {
      const answer = await this.#exchange('POST', '/api/auth/signin', JSON.stringify(this.#credentials));
      if (answer.json?.accessToken === undefined) throw new Failure(NOT_THE_SERVICE);
      return answer.json.accessToken;
    } catch (error) {
      this.#token = undefined;
      throw error;
    }
  }

  async #exchange(method, path, body, token, more) {
    const headers = {
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...more,
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    };
    const { status, retryAfter, text, etag } = await this.#fetch(method, path, headers, body);
    if (TRANSIENT.includes(status)) throw new Unanswered(`status ${status}`, retryAfter);
    const json = jsonIn(text);
    if (status >= 400) throw new Refusal(status, json ?? {});
    return { json, text, etag };
  }

  async #fetch(method, path, headers, body) {
    try {
      const signal = globalThis.AbortSignal.timeout(PATIENCE_MS);
      const response = await globalThis.fetch(this.#url + path, { method, headers, body, signal });
      const seconds = /^\d+$/.exec(response.headers.get('retry-after') ?? '')?.[0];
      const retryAfter = seconds === undefined ? undefined : Math.min(Number(seconds) * 1000, PATIENCE_MS);
      const etag = response.headers.get('etag');
      return { status: response.status, retryAfter, etag, text: await response.text() };
    } catch (error) {
      throw new Unanswered(error.cause?.code ?? error.cause?.message ?? error.message);
    }
  }
}

function jsonOf({ json, text }) {
  if (json === undefined && text !== '') throw new Failure(NOT_THE_SERVICE);
  return json;
}

function jsonIn(text) {
  try {
    return readExactJson(text);
  } catch {
    return undefined; // no body, or not the service's own words
  }
}
