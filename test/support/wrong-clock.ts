/** Arguments of Node that run this code before the program. */
export function importing(code: string): string[] {
  return ['--import', `data:text/javascript,${encodeURIComponent(code)}`];
}

/** A clock so many milliseconds ahead: all of JavaScript's time but that of `performance.now()` goes by `Date`. */
export function withClockOff(shift: number): string[] {
  return importing(`const real = Date;
    globalThis.Date = class extends real {
      constructor(...parts) { super(...(parts.length > 0 ? parts : [Date.now()])); }
      static now() { return real.now() + ${shift}; }
    };`);
}
