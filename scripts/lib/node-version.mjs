// Refuses a Node that package.json does not name, before anything is imported that an old one cannot read. Only what
// every Node understands stands here.
import { readFileSync } from 'node:fs';

const { engines } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

/** Whether a version is in a range such as `^20.19.0 || >=24.11.0`. */
function isInRange(version, range) {
  const [major, minor] = version.split('.').map(Number);
  return range.split('||').some((part) => {
    const [, leastMajor, leastMinor] = /(\d+)\.(\d+)/.exec(part).map(Number);
    if (major === leastMajor) return minor >= leastMinor;
    return part.includes('>=') && major > leastMajor;
  });
}

if (!isInRange(process.versions.node, engines.node)) {
  process.stderr.write(
    'This needs Node ' + engines.node + '; here is ' + process.version + '. See https://nodejs.org\n',
  );
  process.exit(1);
}
