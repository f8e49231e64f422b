// Only what every Node understands stands here, so that an old one is told so instead of failing on the syntax of
// what would come next.
const [major, minor] = process.versions.node.split('.').map(Number);

export const isSupported = major > 20 || (major === 20 && minor >= 19);

export function refuse() {
  process.stderr.write(
    'This needs Node 20.19 or newer; here is ' + process.version + '. See https://nodejs.org\n',
  );
  process.exitCode = 1;
}
