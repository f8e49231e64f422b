// The process that serves, and the database, which outlives it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseEnv } from 'node:util';
import { say } from './project.mjs';

const CHILD = fileURLToPath(new URL('dev-child.mjs', import.meta.url));

export class DevService {
  #folder;
  #options;
  /** Serves, or is about to. */
  #child;
  /** Has loaded the packages already: that makes a restart fast. */
  #reserve;
  #database;
  #isStopping = false;
  #speaks = true;

  constructor(folder, { port, reset = false }) {
    this.#folder = folder;
    this.#options = { port, reset };
  }

  get isRunning() {
    return this.#child !== undefined;
  }

  /** Whether it says itself that it stops: what has been started again is silent. */
  get speaks() {
    return this.isRunning && this.#speaks;
  }

  /** Ends the process that serves, if there is one, and starts another. False when that does not come to serve. */
  async restart() {
    await this.#end(this.#child, 'SIGKILL'); // it has nothing to finish: the database is not its own
    const isFirst = this.#database === undefined;
    this.#child = this.#reserve ?? this.#spawn();
    this.#reserve = undefined;
    this.#speaks = isFirst;
    const isServing = await this.#start({ ...this.#options, quiet: !isFirst });
    if (isServing && isFirst) await this.#joinDatabase();
    if (isServing) this.#reserve = this.#spawn();
    return isServing;
  }

  /** Lets it finish, for the database stops with the last that has let go of it. Called again, it does not wait. */
  async stop() {
    this.#isStopping = true;
    this.#reserve?.kill('SIGKILL');
    const database = this.#database;
    this.#database = undefined;
    await this.#end(this.#child, 'SIGTERM');
    await database?.stop();
  }

  /** A process that loads the packages and waits. */
  #spawn() {
    const args = ['--enable-source-maps', CHILD, this.#folder];
    const stdio = ['ignore', 'inherit', 'inherit', 'ipc'];
    const child = spawn(process.execPath, args, { stdio, detached: true }); // Ctrl-C is for this process alone
    child.once('exit', (code, signal) => {
      if (this.#reserve === child) this.#reserve = undefined;
      if (this.#child !== child) return;
      this.#child = undefined;
      if (!this.#isStopping)
        say(`The service has ended (${signal ?? code}). The next change starts it again.`);
    });
    return child;
  }

  async #start(options) {
    const ended = once(this.#child, 'exit').then(() => false);
    const serving = once(this.#child, 'message').then(() => true);
    this.#child.send(options);
    return Promise.race([serving, ended]);
  }

  async #end(child, signal) {
    if (child === undefined) return;
    if (this.#child === child) this.#child = undefined;
    const exit = once(child, 'exit');
    child.kill(signal);
    await exit;
  }

  /** While this process uses it as well, the end of the other does not stop it. */
  async #joinDatabase() {
    this.#options.reset = false;
    const module = pathToFileURL(join(this.#folder, 'src/quickstart/data.js'));
    const { DATA_FOLDER, startQuickstartDatabase } = await import(module);
    const given = existsSync('.env') ? parseEnv(readFileSync('.env', 'utf8')) : {};
    this.#database = await startQuickstartDatabase(DATA_FOLDER, { ...given, ...process.env });
  }
}
