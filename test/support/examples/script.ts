import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Run {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

const EXAMPLES = fileURLToPath(new URL('../../../examples/', import.meta.url));

/** Runs one of the example scripts as its user would, without a terminal. */
export function runScript(
  name: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<Run> {
  return new Promise((resolve) => {
    const options = { env, timeout: 15_000 };
    const child = execFile(process.execPath, [join(EXAMPLES, name), ...args], options, (_, out, err) =>
      resolve({ code: child.exitCode ?? -1, out, err }),
    );
    child.stdin?.end();
  });
}

/** A folder for the files of one test file. */
export class Folder {
  readonly #path = mkdtempSync(join(tmpdir(), 'property-finance-examples-'));
  #files = 0;

  /** Writes a file of its own, and says where. */
  file(content: string | Uint8Array): string {
    const path = join(this.#path, String(++this.#files));
    writeFileSync(path, content);
    return path;
  }

  remove(): void {
    rmSync(this.#path, { recursive: true });
  }
}
