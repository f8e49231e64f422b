import { execFile, type ExecFileException } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Missing } from '../../../bench/command.js';
import { findProgram } from '../../support/program.js';

const LONGEST = 30 * 60_000;
const MOST_OUTPUT = 64 * 1024 ** 2;
/** Characters of a failed command's output in the message. */
const SHOWN = 3000;
const MAVEN_COPY = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy';
const execute = promisify(execFile);

export interface Where {
  readonly cwd?: string;
  /** Added to this process's environment. */
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
}

/** Runs a program to its end and returns its standard output. Throws with the end of all output when it fails. */
export async function run(program: string, args: readonly string[], where: Where = {}): Promise<string> {
  const { cwd = '.', env = {}, input = '' } = where;
  const options = { cwd, env: { ...process.env, ...env }, timeout: LONGEST, maxBuffer: MOST_OUTPUT };
  const call = execute(program, args, options);
  call.child.stdin?.on('error', () => undefined).end(input); // not every program reads it
  try {
    return (await call).stdout;
  } catch (cause) {
    const { stdout = '', stderr = '', message, killed } = cause as ExecFileException;
    const end = killed === true ? `ended after ${LONGEST / 60_000} minutes` : message;
    const output = `${stdout}${stderr}`.slice(-SHOWN) || end;
    throw new Error(`${program} ${args.join(' ')} failed:\n${output}`, { cause });
  }
}

/** Whether the program ends with 0. */
export async function succeeds(program: string, args: readonly string[], where?: Where): Promise<boolean> {
  return run(program, args, where)
    .then(() => true)
    .catch(() => false);
}

/** Throws {@link Missing} when one of the programs is not installed. */
export function requirePrograms(programs: readonly string[], hint: string): void {
  const missing = programs.filter((name) => findProgram(name) === undefined);
  if (missing.length > 0) throw new Missing(`Not installed: ${missing.join(', ')}. ${hint}`);
}

/** A folder below the home folder, where downloads stay from run to run. */
export function cacheFolder(name: string): string {
  const folder = join(homedir(), '.cache/property-finance', name);
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** Copies an artifact of Maven Central, as `group:name:version:type`, to this folder. */
export async function fromMaven(artifact: string, folder: string): Promise<void> {
  const options = [`-Dartifact=${artifact}`, `-DoutputDirectory=${folder}`];
  await run('mvn', ['-q', '-B', MAVEN_COPY, ...options], { cwd: folder });
}
