import { describeFailure, INTERRUPTED } from '../cli/failures.js';
import { loadEnvironmentFile } from '../config/env.js';
import { stopSignal } from '../config/process.js';
import { stopOn } from '../shutdown.js';
import { banner } from './banner.js';
import { DATA_FOLDER } from './data.js';
import { startQuickstart } from './quickstart.js';

const { stdout, stderr } = process;
// Writing to a closed terminal fails; its SIGHUP stops the service anyway.
for (const stream of [stdout, stderr]) stream.on('error', () => undefined);
const say = (text: string): void => void stderr.write(text);
// Until it serves, however often Ctrl-C comes, the start ends at its next step and leaves no PostgreSQL behind.
let isServing = false;
const signal = stopSignal(1, () => isServing);
// scripts/quickstart.mjs has said what is wrong with the options, before it installed and built.
const reset = process.argv.includes('--reset');
try {
  const started = await startQuickstart(DATA_FOLDER, loadEnvironmentFile(), { say, reset, signal });
  isServing = true;
  signal.addEventListener('abort', () => say('\nStopping …\n'));
  void stopOn(signal, started.app, started.settings, async () => {
    await started.database.stop();
    say(`Stopped. The data are kept in ${DATA_FOLDER}/.\n`);
  });
  stdout.write(banner(started));
} catch (error) {
  const isClosed = ['EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '');
  const hint = isClosed ? `. Does ${DATA_FOLDER}/ belong to another user?` : '';
  say(signal.aborted ? '\nInterrupted: nothing is left running.\n' : `${describeFailure(error)}${hint}\n`);
  process.exit(signal.aborted ? INTERRUPTED : 1);
}
