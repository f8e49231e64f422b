// Keeps a compiled copy of the sources up to date, file by file. Types are not looked at; what is no TypeScript is copied.
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { transformSync } from '@swc/core';
import { SOURCE_FOLDERS } from './project.mjs';

const READ_AT_RUN_TIME = ['package.json', 'openapi.json'];

/** Tests, and what editors leave for a while. */
const LEFT_OUT = /\.spec\.ts$|^\.|~$|^\d+$/;

export class Compiler {
  /** Source → what it was when it was last compiled: its stamp, its code, and the fault that was found in it. */
  #known = new Map();
  #root;

  constructor(root, folder) {
    this.#root = root;
    this.folder = folder;
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    for (const name of READ_AT_RUN_TIME) symlinkSync(join(root, name), join(folder, name));
  }

  /** What has got other code since the last time, and every file that cannot be compiled, with the reason. */
  update() {
    try {
      return this.#update();
    } catch (error) {
      if (error.code !== 'ENOENT') throw error;
      return this.update(); // an editor's file, which was there for a moment only
    }
  }

  #update() {
    const changed = [];
    const present = new Set(SOURCE_FOLDERS.flatMap((name) => this.#sourcesIn(name)));
    for (const source of present) if (this.#compile(source)) changed.push(source);
    for (const source of this.#known.keys()) {
      if (present.has(source)) continue;
      this.#known.delete(source);
      rmSync(this.#target(source), { force: true });
      changed.push(source);
    }
    const faults = [...this.#known].flatMap(([source, { fault }]) => (fault ? [{ source, fault }] : []));
    return { changed, faults };
  }

  #sourcesIn(name) {
    return readdirSync(join(this.#root, name), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !LEFT_OUT.test(entry.name))
      .map((entry) => relative(this.#root, join(entry.parentPath, entry.name)));
  }

  #compile(source) {
    const file = join(this.#root, source);
    const { mtimeMs, size } = statSync(file);
    const stamp = `${mtimeMs} ${size}`;
    const before = this.#known.get(source);
    if (before?.stamp === stamp) return false;
    try {
      const isCode = source.endsWith('.ts');
      const code = isCode ? this.#transform(file) : readFileSync(file, 'latin1');
      this.#known.set(source, { stamp, code });
      if (before?.code === code) return false;
      mkdirSync(dirname(this.#target(source)), { recursive: true });
      writeFileSync(this.#target(source), code, isCode ? 'utf8' : 'latin1');
      return true;
    } catch (error) {
      this.#known.set(source, { stamp, code: before?.code, fault: faultIn(error) });
      return false;
    }
  }

  #transform(file) {
    const options = { cwd: this.#root, filename: file, sourceFileName: file, sourceMaps: 'inline' };
    return transformSync(readFileSync(file, 'utf8'), options).code;
  }

  #target(source) {
    return join(this.folder, source.replace(/\.ts$/, '.js'));
  }
}

/** The words of the compiler, without its own stack. */
function faultIn({ message }) {
  return stripVTControlCharacters(message).split('\n\nCaused by:', 1)[0].trim();
}
