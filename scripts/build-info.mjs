// After a build: notes in dist/ what it was made from, for /actuator/info and for the next start.
import { spawnSync } from 'node:child_process';
import { realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HASH_FILE, root, sourceHash } from './lib/project.mjs';

const UNKNOWN = 'unknown';

/** Git's output, or undefined outside of a checkout. */
function git(...args) {
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}

const top = git('rev-parse', '--show-toplevel');
const isCheckout = top !== undefined && realpathSync(top) === realpathSync(root); // and not of a project around it

/** What git says, else the variable, which an image's build sets, because it sees no checkout. */
function ask(variable, ...args) {
  return (isCheckout && git(...args)) || process.env[variable] || UNKNOWN;
}

const time = ask('GIT_COMMIT_TIME', 'log', '-1', '--format=%cI');
const info = {
  time: new Date().toISOString(),
  git: {
    branch: ask('GIT_BRANCH', 'rev-parse', '--abbrev-ref', 'HEAD'),
    commit: {
      id: ask('GIT_COMMIT', 'rev-parse', 'HEAD'),
      time: Number.isNaN(Date.parse(time)) ? UNKNOWN : new Date(time).toISOString(),
    },
  },
};
writeFileSync(join(root, 'dist/build-info.json'), `${JSON.stringify(info, null, 2)}\n`);
writeFileSync(join(root, HASH_FILE), sourceHash());
