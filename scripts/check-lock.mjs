// Whether package-lock.json pins what is installed: each package by its content, from the registry that npm is set
// to, and with a decision on each script that an installation runs.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './lib/project.mjs';

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
for (const fault of faults) console.error(fault);
if (faults.length === 0) console.log(`package-lock.json: ${entries.length} packages`);
else process.exitCode = 1;

function read(name) {
  return JSON.parse(readFileSync(join(root, name), 'utf8'));
}

function faultsOf(name, entry) {
  const faults = [];
  if (entry.resolved !== undefined) faults.push(`names where it comes from: ${entry.resolved}`);
  if (entry.integrity === undefined ? !isForAnotherPlatform(entry) : !INTEGRITY.test(entry.integrity))
    faults.push('has no SHA-512 of its content');
  if (entry.hasInstallScript && !Object.hasOwn(allowScripts, name))
    faults.push(
      'runs a script when it is installed, and allowScripts in package.json does not say whether it may',
    );
  return faults;
}

/** Binaries of development tools whose content could not be looked up where the lock file was written. */
function isForAnotherPlatform({ dev, optional, os }) {
  return dev === true && optional === true && os !== undefined;
}
