import { dirname, join } from 'node:path';
import { print, progress } from '../../../bench/command.js';
import type { Criterion } from '../../faults/protocol.js';
import { cache, runCriteria } from '../../faults/support/command.js';
import { criterion } from '../../faults/support/criteria.js';
import { withRig } from '../../faults/support/rig.js';
import { Commands } from '../../support/commands.js';
import { pythonWith } from '../../support/python.js';
import { ensureBaseImages, NODE_IMAGE } from './base-images.js';
import { runCompose } from './compose.js';
import { runConfined } from './confined.js';
import { examineContents } from './contents.js';
import { Engine, PROGRAMS } from './engine.js';

const IMAGE = 'localhost/property-finance-service';
const DEBIAN = 'buildah podman runc netavark aardvark-dns mmdebstrap';

async function lint(engine: Engine, hadolint: string): Promise<Criterion> {
  const said = await engine.run(hadolint, ['--no-fail', 'Dockerfile']);
  return criterion('hadolint has nothing to say', said === '', said || 'nothing');
}

async function build(engine: Engine): Promise<void> {
  const commit = await engine.run('git', ['rev-parse', 'HEAD']);
  await engine.build('.', IMAGE, '--from', NODE_IMAGE, '--build-arg', `GIT_COMMIT=${commit}`);
}

await runCriteria({
  call: 'npm run test:container',
  about:
    'Builds the Dockerfile, looks at what is in the image, runs it with no rights in 512 MiB under the worst load of ' +
    'answers, and brings deploy/compose.yaml up and down. What the image is built on is made from packages of Debian ' +
    'and npm, because no registry need be there. Takes two minutes, the first time four. Needs root and these ' +
    `packages of Debian: ${DEBIAN}.`,
  options: { cache: cache('container', 'images and tools') },
  async run({ cache: folder }, cleanup, tell) {
    const needs = PROGRAMS.map((program) => [program, '--version'] as const);
    await new Commands(cleanup).require(
      needs,
      `On Debian: apt-get install --no-install-recommends ${DEBIAN}`,
    );
    const engine = new Engine(folder, process.env);
    const bin = dirname(pythonWith('test/outside/container/requirements.txt', folder, print));
    progress('the images to build on');
    await ensureBaseImages(engine, folder);
    tell([await lint(engine, join(bin, 'hadolint'))]);
    progress('building the image');
    await build(engine);
    tell(await examineContents(engine, IMAGE));
    tell(await withRig(cleanup, (rig) => runConfined(engine, IMAGE, rig)));
    tell(await withRig(cleanup, (rig) => runCompose(engine, join(bin, 'podman-compose'), rig)));
  },
});
