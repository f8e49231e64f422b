// Jest's filter: leaves out what a file in test/together/ runs anyway.
const { readFileSync } = require('node:fs');
const { join, resolve } = require('node:path');

const FOLDER = resolve(module.path, '../together');

module.exports = (paths) => {
  const together = paths.filter((path) => path.startsWith(FOLDER)).flatMap(filesOf);
  return { filtered: paths.filter((path) => !together.includes(path)) };
};

/** Those that it names in quotes. */
function filesOf(path) {
  return Array.from(readFileSync(path, 'utf8').matchAll(/'([\w-]+)'/g), ([, name]) =>
    join(FOLDER, '..', `${name}.e2e-spec.ts`),
  );
}
