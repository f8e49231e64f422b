// Jest's filter: leaves out what a file in test/together/ runs anyway.
const { readFileSync } = require('node:fs');
const { join, resolve } = require('node:path');

const ROOT = resolve(module.path, '../..');
const FOLDER = join(ROOT, 'test/together');

module.exports = (paths) => {
  const together = paths.flatMap(filesOf);
  return { filtered: paths.filter((path) => !together.includes(path)) };
};
module.exports.filesOf = filesOf;

/** Those that a file in test/together/ names in quotes. */
function filesOf(path) {
  if (!path.startsWith(FOLDER)) return [];
  return Array.from(readFileSync(path, 'utf8').matchAll(/'([\w/-]+)(\.spec)?'/g), ([, name, unit]) =>
    join(ROOT, unit === undefined ? `test/${name}.e2e-spec.ts` : `${name}.spec.ts`),
  );
}
