import type { Command } from './command.js';

const CALL = 'npm run cli --';

const COMMON = {
  '--quickstart': "on the quickstart's database in .data/, which need not be running",
  '--help': 'this',
};

const NOTES = [
  'Settings come from the environment or the file .env, as for the service (see .env.example). Where no DB_ variable',
  "says which database is meant, and a quickstart has left its data in .data/, the quickstart's is.",
];

/** What all the commands do, or those of one group. */
export function overview(commands: readonly Command[]): string {
  const lines = commands.flatMap((command) => [`  ${call(command)}`, `      ${command.summary}`]);
  return [`${CALL} <command> [--quickstart] [--help]`, '', ...lines, '', ...table(COMMON), '', ...NOTES].join(
    '\n',
  );
}

/** Everything about one command. */
export function explanation(command: Command): string {
  const options = table({ ...command.details, ...COMMON });
  return [`${CALL} ${call(command)}`, '', command.summary, '', ...options, '', ...NOTES].join('\n');
}

/** What to say to who called it wrongly. */
export function usage(command: Command | undefined): string {
  if (command === undefined) return `"${CALL} --help" lists the commands.`;
  return `Usage: ${CALL} ${call(command)}\n"${CALL} ${command.name} --help" says more.`;
}

function call(command: Command): string {
  return `${command.name} ${command.usage}`.trimEnd();
}

function table(options: Readonly<Record<string, string>>): string[] {
  const width = Math.max(...Object.keys(options).map((option) => option.length));
  return Object.entries(options).map(([option, text]) => `  ${option.padEnd(width)}  ${text}`);
}
