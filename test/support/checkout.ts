import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cleanup } from './opened.js';
import { ServiceProcess } from './process.js';
import { temporaryFolder } from './temporary-folder.js';

/** A checkout of the project's scripts before `npm install`. */
export class Checkout {
  readonly folder = temporaryFolder(cleanup, 'a checkout');

  constructor() {
    for (const name of ['package.json', 'package-lock.json', 'scripts'])
      cpSync(name, join(this.folder, name), { recursive: true });
    for (const name of ['tsconfig.json', 'tsconfig.build.json', '.swcrc', 'nest-cli.json'])
      this.write(name, '{}');
    this.write('src/main.ts', 'export {};');
    this.write('migrations/all.ts', 'export {};');
  }

  read(name: string): string {
    return readFileSync(join(this.folder, name), 'utf8');
  }

  write(name: string, content: string): void {
    const file = join(this.folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }

  run(script: string, args: string[] = [], env: Record<string, string> = {}): SpawnSyncReturns<string> {
    return spawnSync(process.execPath, [join(this.folder, 'scripts', script), ...args], {
      cwd: this.folder,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], ...env },
    });
  }

  /** Like {@link run}, without waiting for the end. */
  start(script: string, env: Record<string, string>): ServiceProcess {
    return new ServiceProcess([join(this.folder, 'scripts', script)], { cwd: this.folder, env });
  }
}
