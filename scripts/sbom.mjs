// npm run sbom: what the service is made of, as CycloneDX, on standard output. Read from package-lock.json alone: no
// installation is needed and no server is asked. With --omit=optional, what an image of it is made of.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './lib/project.mjs';

const { values } = parseArgs({ options: { omit: { type: 'string', multiple: true, default: [] } } });
const isWanted = ({ dev, devOptional, optional }) =>
  !dev && !devOptional && !(optional && values.omit.includes('optional'));

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
