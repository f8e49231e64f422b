import type { Command } from './command.js';
import { nearest } from './spelling.js';

const CALL = 'npm run cli --';
const WIDTH = 110;

const COMMON = {
  '--quickstart': "work on the quickstart's database in .data/, which need not be running",
  '--help, -h': 'this',
};

const NOTES =
  'Settings come from the environment or the file .env, as for the service (see .env.example). Where no DB_ variable ' +
  "says which database is meant, and a quickstart has left its data in .data/, the quickstart's is.";

const EXIT_CODES = 'Exit codes: 0 it worked, 1 it did not, 2 it was called wrongly, 130 it was interrupted.';

/** What all the commands do, or those of one group. */
export function overview(commands: readonly Command[]): string {
  const lines = commands.flatMap((command) => [
    `  ${call(command)}`,
    ...wrapped(command.summary, WIDTH - 6).map((line) => `      ${line}`),
  ]);
  const [first] = commands;
  return [
    `Usage: ${CALL} <command> [options]`,
    '',
    ...lines,
    '',
    ...table(COMMON),
    '',
    ...wrapped(NOTES),
    '',
    ...(first === undefined ? [] : [`Example: ${CALL} ${first.example}`]),
    '',
    EXIT_CODES,
    `"${CALL} <command> --help" says more about one of them.`,
  ].join('\n');
}

/** Everything about one command. */
export function explanation(command: Command): string {
  return [
    `Usage: ${CALL} ${call(command)}`,
    '',
    ...wrapped(command.summary),
    '',
    ...table({ ...command.details, ...COMMON }),
    '',
    ...wrapped(NOTES),
    '',
    `Example: ${CALL} ${command.example}`,
    '',
    EXIT_CODES,
  ].join('\n');
}

/** What to say to who called it wrongly. */
export function usage(command: Command | undefined): string {
  if (command === undefined) return `"${CALL} --help" lists the commands.`;
  return `Usage: ${CALL} ${call(command)}\n"${CALL} ${command.name} --help" says more.`;
}

/** What was probably meant, as the end of a sentence that says that there is no such thing. */
export function suggestion(written: string, words: readonly string[]): string {
  const word = nearest(written, words);
  return word === undefined ? '' : ` Did you mean "${word}"?`;
}

function call(command: Command): string {
  return `${command.name} ${command.usage}`.trimEnd();
}

function table(options: Readonly<Record<string, string>>): string[] {
  const width = Math.max(...Object.keys(options).map((option) => option.length));
  return Object.entries(options).flatMap(([option, text]) => {
    const [first = '', ...rest] = wrapped(text, WIDTH - width - 4);
    return [`  ${option.padEnd(width)}  ${first}`, ...rest.map((line) => ' '.repeat(width + 4) + line)];
  });
}

function wrapped(text: string, width = WIDTH): string[] {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (line === '') lines[lines.length - 1] = word;
    else if (line.length + 1 + word.length <= width) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}
