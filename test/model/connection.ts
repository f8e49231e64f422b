import { requestText, Wire, type WireAnswer } from '../support/wire.js';
import type { Call } from './outcomes.js';

/** A client with one connection, which is opened again whenever the service has closed it. */
export class Connection {
  /** How often each status came. */
  readonly statuses = new Map<number, number>();
  #wire: Wire | undefined;

  constructor(private readonly url: string) {}

  async send({ method, target, token, headers = {}, body }: Call): Promise<WireAnswer> {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    if (token !== undefined) lines.push(`Authorization: Bearer ${token}`);
    if (body !== undefined && headers['Content-Type'] === undefined)
      lines.push('Content-Type: application/json');
    this.#wire ??= await Wire.open(this.url);
    const answer = await this.#wire.send(requestText(`${method} ${target} HTTP/1.1`, lines, body)).answer();
    this.statuses.set(answer.status, (this.statuses.get(answer.status) ?? 0) + 1);
    if (answer.headers.get('connection') === 'close') this.close();
    return answer;
  }

  close(): void {
    this.#wire?.destroy();
    this.#wire = undefined;
  }
}
