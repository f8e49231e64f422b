import type { Writable } from 'node:stream';

/** How many bytes may wait for whoever reads the log. */
const MAX_UNREAD = 1024 * 1024;

/**
 * Where the log goes. A reader that does not read must neither hold the process up nor fill its memory, and one
 * that has gone must not end it: what cannot be written is dropped, and told of when somebody reads again.
 */
export class LogOutput {
  private dropped = 0;

  constructor(
    private readonly stream: Writable,
    /** What every line of the log says. */
    private readonly base: Readonly<Record<string, string>>,
    private readonly maxUnread = MAX_UNREAD,
  ) {
    // The stream is the process's own; one that listens is enough for all who write to it.
    if (stream.listenerCount('error') === 0) stream.on('error', () => undefined);
  }

  write(line: string): void {
    if (this.stream.writableLength + line.length > this.maxUnread) {
      this.dropped++;
      return;
    }
    if (this.dropped > 0) {
      const about = { level: 'warn', time: new Date().toISOString(), ...this.base, dropped: this.dropped };
      this.dropped = 0;
      this.stream.write(`${JSON.stringify({ ...about, msg: 'log lines were dropped: nobody read them' })}\n`);
    }
    this.stream.write(line);
  }
}
