import { performance } from 'node:perf_hooks';
import { timeUntil } from '../../support/until.js';

/** A request that HAProxy has sent on, or has tried to. */
export interface Forwarded {
  /** When it came in, as `performance.now()` tells it. */
  readonly at: number;
  /** The server's name; `<NOSRV>` when there was none. */
  readonly server: string;
  readonly status: number;
}

const POLL_INTERVAL = 10;
/** Of `option httplog`: date, frontend, backend and server, timers, status. */
const FORWARDED = /\[([^\]]+)\] \S+ service\/(\S+) [-+\d/]+ (-?\d+) /;

/** What a proxy writes, with the time at which it came. */
export class ProxyLog {
  private readonly lines: { readonly at: number; readonly text: string }[] = [];
  private rest = '';

  add(part: string): void {
    const lines = (this.rest + part).split('\n');
    this.rest = lines.pop() ?? '';
    for (const text of lines) this.lines.push({ at: performance.now(), text });
  }

  /** When it first said so after that moment; Infinity when it does not within that many milliseconds. */
  async said(words: string, since: number, within: number): Promise<number> {
    const find = (): number | undefined =>
      this.lines.find(({ at, text }) => at >= since && text.includes(words))?.at;
    await timeUntil(() => find() !== undefined, within, POLL_INTERVAL);
    return find() ?? Infinity;
  }

  /** The requests that came in from that moment on. */
  forwarded(since: number): Forwarded[] {
    return this.lines.flatMap(({ text }) => {
      const [, date = '', server = '', status = ''] = FORWARDED.exec(text) ?? [];
      const at = timeOf(date) - performance.timeOrigin;
      return at >= since ? [{ at, server, status: Number(status) }] : [];
    });
  }
}

/** "22/Nov/2026:09:00:00.123", in the time of this machine. */
function timeOf(date: string): number {
  const [day = '', ...time] = date.split(':');
  return Date.parse(`${day.replaceAll('/', ' ')} ${time.join(':')}`);
}
