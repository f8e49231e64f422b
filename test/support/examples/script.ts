import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { opened } from '../opened.js';

export interface Run {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

const EXAMPLES = fileURLToPath(new URL('../../../examples/', import.meta.url));

/** Runs one of the example scripts without a terminal, in a thread: hundreds of processes would take too long. */
export async function runScript(
  name: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<Run> {
  const argv = [...args];
  const worker = new Worker(join(EXAMPLES, name), { argv, env, stdin: true, stdout: true, stderr: true });
  worker.stdin?.end();
  const timer = setTimeout(() => void worker.terminate(), 15_000);
  let failure = '';
  worker.on('error', (error: Error) => (failure = `${error.stack}\n`));
  const written = Promise.all([text(worker.stdout), text(worker.stderr)]);
  const [code] = (await once(worker, 'exit')) as [number];
  clearTimeout(timer);
  const [out, err] = await written;
  return { code, out, err: err + failure };
}

/** A folder for the files of one test file. */
export class Folder {
  readonly #path = mkdtempSync(join(tmpdir(), 'property-finance-examples-'));
  #files = 0;

  constructor() {
    opened(() => rmSync(this.#path, { recursive: true }));
  }

  /** Writes a file of its own, and says where. */
  file(content: string | Uint8Array): string {
    const path = join(this.#path, String(++this.#files));
    writeFileSync(path, content);
    return path;
  }
}
