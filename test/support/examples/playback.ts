import { type Answer, Client } from '../client.js';

/** A request as an example file has it, with `{{variables}}` still in it. */
export interface ExampleRequest {
  readonly name: string;
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** The statuses of which the file expects one. */
  readonly expected: readonly number[];
  /** What it adds to the variables; read no earlier than it is used, so it may be made of its own answer. */
  readonly variables: Readonly<Record<string, string>>;
}

const PLACEHOLDER = /\{\{\s*([^{}]+?)\s*\}\}/g;
const OF_ANSWER = /^([\w-]+)\.response\.(?:body\.\$\.([\w.]+)|headers\.([\w-]+))$/;

/** Sends the requests of an example, one after the other, as the tools for these files do. */
export class Playback {
  private readonly answers = new Map<string, Answer>();

  constructor(private readonly variables: Record<string, string>) {}

  async send(request: ExampleRequest): Promise<Answer> {
    Object.assign(this.variables, request.variables);
    const headers = Object.entries(request.headers).map(
      ([name, value]) => [name.toLowerCase(), this.filled(value)] as const,
    );
    const { origin, pathname, search } = new URL(this.filled(request.url));
    const answer = await new Client(origin).send(request.method, pathname + search, {
      headers: Object.fromEntries(headers),
      ...(request.body === undefined ? {} : { body: this.filled(request.body) }),
    });
    this.answers.set(request.name, answer);
    return answer;
  }

  private filled(template: string): string {
    return template.replace(PLACEHOLDER, (_, reference: string) => {
      const variable = this.variables[reference];
      return variable === undefined ? this.fromAnswer(reference) : this.filled(variable);
    });
  }

  private fromAnswer(reference: string): string {
    const [, name = '', path, header] = OF_ANSWER.exec(reference) ?? [];
    const answer = this.answers.get(name);
    const value =
      header === undefined
        ? path
            ?.split('.')
            .reduce((part: unknown, key) => (part as Record<string, unknown>)[key], answer?.json)
        : answer?.headers.get(header);
    if (typeof value !== 'string' && typeof value !== 'number')
      throw new Error(`nothing is known of {{${reference}}}`);
    return String(value);
  }
}
