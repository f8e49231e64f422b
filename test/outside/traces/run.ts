import { print } from '../../../bench/command.js';
import { flag } from '../../../bench/options.js';
import { cache, runCriteria } from '../../faults/support/command.js';
import { withRig } from '../../faults/support/rig.js';
import { Commands } from '../../support/commands.js';
import { followed } from './chain.js';
import { costs } from './cost.js';
import { install } from './tools.js';
import { Zipkin } from './zipkin.js';

await runCriteria({
  call: 'npm run test:traces',
  about:
    'Starts the service with deploy/opentelemetry in front of a real Zipkin and calls it from a program that is traced ' +
    'as well: follows a request to its statements, and to the log. Then measures what a request takes of the processor ' +
    'with and without. Takes two minutes. Zipkin comes from Maven Central (131 MB), OpenTelemetry from npm; Java 17 and ' +
    'Maven have to be there.',
  options: {
    cache: cache('traces', 'Zipkin and OpenTelemetry'),
    short: flag('without the measurement'),
  },
  async run({ cache: folder, short }, cleanup, tell) {
    const tools = await install(new Commands(cleanup), folder);
    await withRig(cleanup, async (rig) => {
      const zipkin = await Zipkin.start(rig, tools.zipkin);
      tell(await followed(rig, tools, zipkin));
      if (!short) print(await costs(rig, tools, zipkin));
    });
  },
});
