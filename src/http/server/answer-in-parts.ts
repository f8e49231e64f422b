import { Readable } from 'node:stream';
import type { AnswerMemory, Place } from './answer-memory.js';

/** JSON text that is too long to be in memory as a whole: its parts are read as its client takes them. */
export class AnswerInParts {
  private constructor(
    private first: string | undefined,
    private readonly rest: AsyncGenerator<string>,
    private readonly place: Place,
  ) {}

  /**
   * Reads the first part, so that what goes wrong until then can still be answered. Every part is read in a turn of the
   * place, and none is empty. Throws service-unavailable when there is no room for parts of so many bytes.
   */
  static async begin(
    memory: AnswerMemory,
    bytes: number,
    read: (place: Place) => AsyncGenerator<string>,
  ): Promise<AnswerInParts> {
    const place = await memory.begin(bytes);
    try {
      const parts = read(place);
      const { value } = (await parts.next()) as IteratorResult<string, undefined>;
      return new AnswerInParts(value, parts, place);
    } catch (error) {
      place.leave();
      throw error;
    }
  }

  /** To be called once the client has taken everything, or has gone. */
  leave(): void {
    this.place.leave();
  }

  toStream(): Readable {
    const next = async (): Promise<string | undefined> => {
      const { first, rest } = this;
      this.first = undefined;
      return first ?? ((await rest.next()) as IteratorResult<string, undefined>).value;
    };
    return new Readable({
      highWaterMark: 0, // never a part ahead of the one that its client is taking
      read() {
        next().then(
          (part) => this.push(part ?? null),
          (error: unknown) => this.destroy(error as Error),
        );
      },
    });
  }
}
