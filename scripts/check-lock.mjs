// Whether package-lock.json pins what is installed: each package by its content, from the registry that npm is set
// to, and with a decision on each script that an installation runs.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readOptions } from './lib/command.mjs';
import { root } from './lib/project.mjs';

/**
 * Pinned by name and version only. They are binaries of the compiler (@swc/core) and of the resolver that the tests
 * use, for platforms other than the one that the lock file was written on, where their contents could not be looked
 * up. Without these entries `npm ci` refuses the whole file. None of them is installed where the service runs.
 */
const WITHOUT_INTEGRITY = [
  '@swc/core-darwin-arm64',
  '@swc/core-darwin-x64',
  '@swc/core-linux-arm-gnueabihf',
  '@swc/core-linux-ppc64-gnu',
  '@swc/core-linux-s390x-gnu',
  '@swc/core-win32-arm64-msvc',
  '@swc/core-win32-ia32-msvc',
  '@swc/core-win32-x64-msvc',
  '@unrs/resolver-binding-android-arm-eabi',
  '@unrs/resolver-binding-android-arm64',
  '@unrs/resolver-binding-darwin-arm64',
  '@unrs/resolver-binding-darwin-x64',
  '@unrs/resolver-binding-freebsd-x64',
  '@unrs/resolver-binding-linux-arm-gnueabihf',
  '@unrs/resolver-binding-linux-arm-musleabihf',
  '@unrs/resolver-binding-linux-loong64-gnu',
  '@unrs/resolver-binding-linux-loong64-musl',
  '@unrs/resolver-binding-linux-ppc64-gnu',
  '@unrs/resolver-binding-linux-riscv64-gnu',
  '@unrs/resolver-binding-linux-riscv64-musl',
  '@unrs/resolver-binding-linux-s390x-gnu',
  '@unrs/resolver-binding-openharmony-arm64',
  '@unrs/resolver-binding-win32-arm64-msvc',
  '@unrs/resolver-binding-win32-ia32-msvc',
  '@unrs/resolver-binding-win32-x64-msvc',
];

readOptions(`Usage: npm run check:lock

Checks that package-lock.json pins what is installed: each package by its content, and with a decision on each
script that an installation runs. Asks no server.

  --help, -h  this

Example: npm run check:lock

Exit codes: 0 all is pinned, 1 something is not, 2 called wrongly.
`);

const INTEGRITY = /^sha512-[A-Za-z\d+/]{86}==$/;

const { allowScripts = {} } = read('package.json');
const { lockfileVersion, packages } = read('package-lock.json');
const entries = Object.entries(packages).filter(([path]) => path !== ''); // that is the project itself

const faults = entries.flatMap(([path, entry]) =>
  faultsOf(path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length), entry).map(
    (fault) => `${path}@${entry.version} ${fault}`,
  ),
);
if (lockfileVersion !== 3)
  faults.push(`the format is ${lockfileVersion}, not 3: write it with npm 9 or newer`);
for (const name of WITHOUT_INTEGRITY) {
  const entry = packages[`node_modules/${name}`];
  if (entry === undefined || entry.integrity !== undefined)
    faults.push(`${name} needs no exception any more: take it out of scripts/check-lock.mjs`);
}

for (const fault of faults) console.error(fault);
if (faults.length === 0)
  console.log(
    `package-lock.json: ${entries.length} packages, ${WITHOUT_INTEGRITY.length} pinned by version only`,
  );
else process.exitCode = 1;

function read(name) {
  return JSON.parse(readFileSync(join(root, name), 'utf8'));
}

function faultsOf(name, entry) {
  const faults = [];
  if (entry.resolved !== undefined) faults.push(`names where it comes from: ${entry.resolved}`);
  if (entry.integrity === undefined ? !isExcepted(name, entry) : !INTEGRITY.test(entry.integrity))
    faults.push('has no SHA-512 of its content');
  if (entry.hasInstallScript && !Object.hasOwn(allowScripts, name))
    faults.push(
      'runs a script when it is installed, and allowScripts in package.json does not say whether it may',
    );
  return faults;
}

function isExcepted(name, { dev, optional, os }) {
  return WITHOUT_INTEGRITY.includes(name) && dev === true && optional === true && os !== undefined;
}
