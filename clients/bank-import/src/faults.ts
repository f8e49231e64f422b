type LineFault = Readonly<{ line: number; message: string }>;

/** The command, the rules or the file is refused as a whole: nothing is recorded. */
export class Refusal extends Error {
  /** The exit code is 2 where the command or the rules are wrong, 1 where the file is. */
  constructor(
    fault: string | readonly LineFault[],
    readonly exitCode: 1 | 2 = 1,
  ) {
    const all = typeof fault === 'string' ? [fault] : fault.map((one) => `line ${one.line}: ${one.message}`);
    super(all.join('\n'));
  }
}

/** The results of the work on each line. Throws a Refusal with the faults of all lines on which it throws. */
export function onEach<T extends { line: number }, R>(lines: readonly T[], work: (line: T) => R): R[] {
  const faults: LineFault[] = [];
  const results = lines.flatMap((line) => {
    try {
      return [work(line)];
    } catch (error) {
      faults.push({ line: line.line, message: (error as Error).message });
      return [];
    }
  });
  if (faults.length > 0) throw new Refusal(faults);
  return results;
}
