// npm run sbom: what the service is made of, as CycloneDX, on standard output. Read from package-lock.json alone: no
// installation is needed and no server is asked.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readOptions } from './lib/command.mjs';
import { root } from './lib/project.mjs';

const HELP = `Usage: npm run sbom -- [--omit optional]

Prints what the service is made of, as CycloneDX in JSON, on standard output.

  --omit optional  leave out what only the quickstart needs, as an image does
  --help, -h       this

Example: npm run --silent sbom -- --omit optional > sbom.json

Exit codes: 0 printed, 1 npm failed, 2 called wrongly.
`;

const { omit } = readOptions(HELP, { omit: { type: 'string', multiple: true, default: [] } }, (values) =>
  values.omit.every((name) => name === 'optional') ? undefined : '--omit takes the word optional',
);
const isWanted = ({ dev, devOptional, optional }) =>
  !dev && !devOptional && !(optional && omit.includes('optional'));

// With --omit=dev npm would also leave out what both the tools and the service need, rxjs and semver for example.
const { status, stdout } = spawnSync(
  'npm',
  ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only'],
  { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, stdio: ['ignore', 'pipe', 'inherit'] },
);
if (status === 0) {
  process.stdout.write(`${JSON.stringify(ofTheService(JSON.parse(stdout)), null, 2)}\n`);
} else {
  process.stderr.write(stdout ?? 'npm cannot be started\n');
  process.exitCode = 1;
}

function ofTheService(bom) {
  const { component } = bom.metadata;
  const { name } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const wanted = new Set([component['bom-ref'], ...wantedPackages()]);
  return {
    ...bom,
    metadata: { ...bom.metadata, component: { ...component, name } }, // npm takes the name of the folder
    components: bom.components.filter((part) => wanted.has(part['bom-ref'])),
    dependencies: bom.dependencies
      .filter(({ ref }) => wanted.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((part) => wanted.has(part)) })),
  };
}

/** By name and version, as npm refers to them. */
function wantedPackages() {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  return Object.entries(packages)
    .filter(([path, entry]) => path !== '' && isWanted(entry))
    .map(([path, { name, version }]) => `${name ?? path.replace(/^.*node_modules\//, '')}@${version}`);
}
