/** `warn`: the service works, but something should be looked at. */
export type Mark = 'ok' | 'warn' | 'fail';

/** What the doctor says about one thing. */
export interface Finding {
  readonly mark: Mark;
  readonly subject: string;
  readonly text: string;
  /** How to mend it: where there is one, the command. */
  readonly remedy?: string;
}

export function ok(subject: string, text: string): Finding {
  return { mark: 'ok', subject, text };
}

export function warn(subject: string, text: string, remedy: string): Finding {
  return { mark: 'warn', subject, text, remedy };
}

export function fail(subject: string, text: string, remedy: string): Finding {
  return { mark: 'fail', subject, text, remedy };
}
