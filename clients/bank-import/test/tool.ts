import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { cleanup } from '../../../test/support/opened.js';
import { temporaryFolder } from '../../../test/support/temporary-folder.js';
import { bankImport } from '../src/command.js';
import { rulesIn } from '../src/meaning/rules.js';
import { type Statement, statementOf } from '../src/meaning/statement.js';
import { textOf } from '../src/reading/text.js';

export interface Run {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export async function runTool(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Run> {
  const written = { out: '', err: '' };
  const into = (name: 'out' | 'err') => ({ write: (text: string) => (written[name] += text) });
  const code = await bankImport(args, { env, stdout: into('out'), stderr: into('err') });
  return { code, ...written };
}

/** Writes a file into a new folder, or the given one, and returns its path. */
export function fileOf(content: string | Uint8Array, name = 'file', folder = newFolder()): string {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
}

export function newFolder(): string {
  return temporaryFolder(cleanup, 'bank-import');
}

export const BASE = { account: 'Giro', property: 'Home' };
export const COLUMNS = { date: 'date', amount: 'amount', description: 'text' };

/** What a file means by rules, without the service. */
export function meaningOf(
  content: string | Uint8Array,
  rules: object,
  { hostZone = 'UTC', opening }: { hostZone?: string; opening?: bigint | undefined } = {},
): Statement {
  const given = rulesIn(JSON.stringify(rules));
  const bytes = typeof content === 'string' ? Buffer.from(content) : content;
  const text = textOf('FILE', bytes, given.encoding);
  return statementOf(text, given, hostZone, opening);
}

/** `01-02 +1234.56 CATEGORY`, for each transaction. */
export function shown({ lines }: Statement): string[] {
  return lines.flatMap(({ day, planned }) =>
    planned.map(({ type, cents, category }) => {
      const amount = `${type === 'INCOME' ? '+' : '-'}${String(cents).padStart(3, '0').replace(/..$/, '.$&')}`;
      return `${day.slice(5)} ${amount} ${category}`;
    }),
  );
}

/** The amounts alone. */
export function amounts(statement: Statement): string {
  return shown(statement)
    .map((line) => line.split(' ')[1])
    .join(' ');
}
