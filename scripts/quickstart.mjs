// npm run quickstart: from a fresh checkout to a service that answers. Only what every Node understands stands
// here, so that an old one is told so instead of failing on the syntax of the rest.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major > 20 || (major === 20 && minor >= 19)) {
  import('./lib/quickstart.mjs');
} else {
  process.stderr.write(
    'This needs Node 20.19 or newer; here is ' + process.version + '. See https://nodejs.org\n',
  );
  process.exitCode = 1;
}
