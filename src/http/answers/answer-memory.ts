import { serviceUnavailable } from '../problem/problem.js';

/** The bytes that responses may hold together until their clients have taken them. */
export class AnswerMemory {
  private held = 0;

  /** `limit` is in bytes. */
  constructor(private readonly limit: number) {}

  /** Throws service-unavailable when so many more do not fit. */
  hold(bytes: number): void {
    if (this.held + bytes > this.limit) throw serviceUnavailable('Too many large responses are under way.');
    this.held += bytes;
  }

  release(bytes: number): void {
    this.held -= bytes;
  }
}
