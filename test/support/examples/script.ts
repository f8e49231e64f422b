import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { Client } from '../client.js';
import { opened } from '../opened.js';
import type { Service } from '../service.js';
import { authIn, signIn, signUp, signUpRequest } from '../sign-up.js';
import { temporaryFolder } from '../temporary-folder.js';

export interface Run {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export const EXAMPLES = fileURLToPath(new URL('../../../examples/', import.meta.url));

/** Runs one of the example scripts without a terminal, in a thread: hundreds of processes would take too long. */
export async function runScript(
  name: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<Run> {
  const argv = [...args];
  const worker = new Worker(join(EXAMPLES, name), { argv, env, stdin: true, stdout: true, stderr: true });
  worker.stdin?.end();
  const timer = setTimeout(() => void worker.terminate(), 80_000);
  let failure = '';
  worker.on('error', (error: Error) => (failure = `${error.stack}\n`));
  const written = Promise.all([text(worker.stdout), text(worker.stderr)]);
  const [code] = (await once(worker, 'exit')) as [number];
  clearTimeout(timer);
  const [out, err] = await written;
  return { code, out, err: err + failure };
}

interface ScriptUser {
  readonly client: Client;
  readonly run: (args: readonly string[], env?: Record<string, string>) => Promise<Run>;
}

/** A new account that runs a script, and its client. */
export async function scriptUser({ url, anonymous }: Service, script: string): Promise<ScriptUser> {
  const account = signUpRequest();
  const { username, password } = account;
  await signUp(anonymous, account);
  const { accessToken } = authIn(await signIn(anonymous, account));
  return {
    client: new Client(url, accessToken),
    run: (args, env) =>
      runScript(script, ['--url', url, '--user', username, ...args], {
        PROPERTY_FINANCE_PASSWORD: password,
        ...env,
      }),
  };
}

/** Writes a file, and returns its path. */
export function scriptFile(content: string | Uint8Array): string {
  const path = join(temporaryFolder({ defer: opened }, 'examples'), 'file');
  writeFileSync(path, content);
  return path;
}
