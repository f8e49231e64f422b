import type { OutgoingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';

interface Options {
  /** In place of JSON's. */
  readonly headers?: OutgoingHttpHeaders;
  /** How long it may take to be sent, in milliseconds. */
  readonly longest?: number;
  /** Called once, when nothing is read for it any more. */
  readonly over: () => void;
}

/** A text that is too long to be in memory as a whole: its parts are read as its client takes them. */
export class AnswerInParts {
  private constructor(
    private first: string | undefined,
    private readonly rest: AsyncGenerator<string>,
    private readonly options: Options,
  ) {}

  /** Reads the first part, so that a failure until then still has a problem document. No part is empty. */
  static async of(parts: AsyncGenerator<string>, options: Options): Promise<AnswerInParts> {
    try {
      const { value } = (await parts.next()) as IteratorResult<string, undefined>;
      return new AnswerInParts(value, parts, options);
    } catch (error) {
      options.over();
      throw error;
    }
  }

  get headers(): OutgoingHttpHeaders {
    return this.options.headers ?? {};
  }

  /** To be called once the client has taken everything, or has gone. */
  leave(): void {
    const { over } = this.options;
    void this.rest.return(undefined).then(over, over);
  }

  toStream(): Readable {
    const next = async (): Promise<string | undefined> => {
      const { first, rest } = this;
      this.first = undefined;
      return first ?? ((await rest.next()) as IteratorResult<string, undefined>).value;
    };
    const stream = new Readable({
      highWaterMark: 0, // never a part ahead of the one that its client is taking
      read() {
        next().then(
          (part) => this.push(part ?? null),
          (error: unknown) => this.destroy(error as Error),
        );
      },
    });
    this.limit(stream);
    return stream;
  }

  private limit(stream: Readable): void {
    const { longest } = this.options;
    if (longest === undefined) return;
    const timer = setTimeout(() => stream.destroy(new Error(`it took longer than ${longest} ms`)), longest);
    stream.once('close', () => clearTimeout(timer));
  }
}
