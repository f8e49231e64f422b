// npm run sbom: what the service is made of, as CycloneDX in JSON, on standard output; with --omit optional without what
// only the quickstart needs, as an image. Read from package-lock.json alone: nothing is installed, no server is asked.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from './lib/project.mjs';

const { omit } = parseArgs({ options: { omit: { type: 'string' } } }).values;
const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));

// With --omit=dev npm would also leave out what both the tools and the service need, rxjs and semver for example.
const { status, stdout } = spawnSync(
  'npm',
  ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application', '--package-lock-only'],
  { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024, stdio: ['ignore', 'pipe', 'inherit'] },
);
if (status === 0) process.stdout.write(`${JSON.stringify(ofTheService(JSON.parse(stdout)), null, 2)}\n`);
else process.exitCode = 1;

function ofTheService(bom) {
  const { component } = bom.metadata;
  const wanted = new Set([component['bom-ref'], ...wantedPackages()]);
  return {
    ...bom,
    metadata: { ...bom.metadata, component: { ...component, name: packages[''].name } }, // npm takes the folder's
    components: bom.components.filter((part) => wanted.has(part['bom-ref'])),
    dependencies: bom.dependencies
      .filter(({ ref }) => wanted.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((part) => wanted.has(part)) })),
  };
}

/** By name and version, as npm refers to them. */
function wantedPackages() {
  return Object.entries(packages)
    .filter(([path, { dev, devOptional }]) => path !== '' && !dev && !devOptional)
    .filter(([, { optional }]) => !optional || omit !== 'optional')
    .map(([path, { name, version }]) => `${name ?? path.replace(/^.*node_modules\//, '')}@${version}`);
}
