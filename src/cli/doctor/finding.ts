/** What the doctor says about one thing. Where it is wrong the text says how to mend it. */
export interface Finding {
  readonly ok: boolean;
  readonly subject: string;
  readonly text: string;
}

export function right(subject: string, text: string): Finding {
  return { ok: true, subject, text };
}

export function wrong(subject: string, text: string): Finding {
  return { ok: false, subject, text };
}
