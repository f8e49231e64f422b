import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { Worker } from 'node:worker_threads';
import type { Client } from '../client.js';
import { cleanup } from '../opened.js';
import type { Service } from '../service.js';
import { signedIn, signUp, signUpRequest } from '../sign-up.js';
import { temporaryFolder } from '../temporary-folder.js';

export interface Run {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs an example script without a terminal, in a thread: hundreds of processes would take too long. */
export async function runScript(
  name: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<Run> {
  const streams = { stdin: true, stdout: true, stderr: true };
  const worker = new Worker(resolve('examples', name), { argv: [...args], env, ...streams });
  worker.stdin?.end();
  let failure = '';
  worker.on('error', (error: Error) => (failure = `${error.stack}\n`));
  const written = Promise.all([text(worker.stdout), text(worker.stderr)]);
  const [code] = (await once(worker, 'exit')) as [number];
  const [out, err] = await written;
  return { code, out, err: err + failure };
}

/** A new account: its client, and a run of the script with its name and password. */
export async function scriptUser(
  { url, anonymous }: Service,
  script: string,
): Promise<[Client, (args: readonly string[], env?: Record<string, string>) => Promise<Run>]> {
  const account = signUpRequest();
  await signUp(anonymous, account);
  const login = ['--url', url, '--user', account.username];
  const environment = { PROPERTY_FINANCE_PASSWORD: account.password };
  return [
    await signedIn(anonymous, account),
    (args, env) => runScript(script, [...login, ...args], { ...environment, ...env }),
  ];
}

/** Writes a file, and returns its path. */
export function scriptFile(content: string | Uint8Array): string {
  const path = join(temporaryFolder(cleanup, 'examples'), 'file');
  writeFileSync(path, content);
  return path;
}
