import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { Missing, print, progress, runCommand } from '../../bench/command.js';
import { text } from '../../bench/options.js';
import type { Criterion } from '../faults/protocol.js';
import { criterionLines } from '../faults/report.js';
import { criterion } from '../faults/support/criteria.js';
import { type Rig, withRig } from '../faults/support/rig.js';
import { pythonWith } from '../support/python.js';
import { ensureBaseImages, NODE_IMAGE } from './base-images.js';
import { runCompose } from './compose.js';
import { runConfined } from './confined.js';
import { examineContents } from './contents.js';
import { Engine, PROGRAMS } from './engine.js';

const CACHE = join(homedir(), '.cache/property-finance-container');
const IMAGE = 'localhost/property-finance-service';
const DEBIAN = 'buildah podman runc netavark aardvark-dns mmdebstrap';

async function lint(engine: Engine, hadolint: string): Promise<Criterion> {
  const said = await engine.run(hadolint, ['--no-fail', 'Dockerfile']);
  return criterion('hadolint has nothing to say', said === '', said || 'nothing');
}

async function build(engine: Engine): Promise<void> {
  const commit = await engine.run('git', ['rev-parse', 'HEAD']);
  const values = [`NODE_IMAGE=${NODE_IMAGE}`, `GIT_COMMIT=${commit}`];
  await engine.build('.', IMAGE, ...values.flatMap((value) => ['--build-arg', value]));
}

await runCommand({
  call: 'npm run test:container',
  about:
    'Builds the Dockerfile, looks at what is in the image, runs it with no rights in 512 MiB under the worst load of ' +
    'answers, and brings deploy/compose.yaml up and down. What the image is built on is made from packages of Debian ' +
    'and npm, because no registry need be there. Takes two minutes, the first time four. Needs root and these ' +
    `packages of Debian: ${DEBIAN}.`,
  options: { cache: text('DIR', `where images and tools go (${CACHE})`) },
  success: 'no criterion is missed',
  failure: 'one is, or what it needs is missing',
  async run({ cache = CACHE }, cleanup) {
    const folder = resolve(cache);
    mkdirSync(folder, { recursive: true });
    const engine = new Engine(folder, process.env);
    for (const program of PROGRAMS)
      if (!(await engine.succeeds(program, '--version')))
        throw new Missing(
          `${program} is not installed. On Debian: apt-get install --no-install-recommends ${DEBIAN}`,
        );
    const bin = dirname(pythonWith('test/container/requirements.txt', folder, print));
    progress('the images to build on');
    await ensureBaseImages(engine, folder);
    const criteria = [await lint(engine, join(bin, 'hadolint'))];
    progress('building the image');
    await build(engine);
    criteria.push(...(await examineContents(engine, IMAGE)));
    const parts = [
      (rig: Rig) => runConfined(engine, IMAGE, rig),
      (rig: Rig) => runCompose(engine, join(bin, 'podman-compose'), rig),
    ];
    for (const part of parts) criteria.push(...(await withRig(cleanup, part)));
    print(criterionLines(criteria));
    return criteria.every(({ passed }) => passed) ? 0 : 1;
  },
});
