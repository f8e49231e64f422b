import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { print, runCommand } from '../../bench/command.js';
import { flag, text } from '../../bench/options.js';
import { criterionLines } from '../faults/report.js';
import { withRig } from '../faults/support/rig.js';
import { Commands } from '../support/commands.js';
import { followed } from './chain.js';
import { costs } from './cost.js';
import { install } from './tools.js';
import { Zipkin } from './zipkin.js';

const CACHE = join(homedir(), '.cache/property-finance-traces');

await runCommand({
  call: 'npm run test:traces',
  about:
    'Starts the service with deploy/opentelemetry in front of a real Zipkin and calls it from a program that is traced ' +
    'as well: follows a request to its statements, and to the log. Then measures what a request takes of the processor ' +
    'with and without. Takes two minutes. Zipkin comes from Maven Central (131 MB), OpenTelemetry from npm; Java 17 and ' +
    'Maven have to be there.',
  options: {
    cache: text('DIR', `where Zipkin and OpenTelemetry go (${CACHE})`),
    short: flag('without the measurement'),
  },
  success: 'no criterion is missed',
  failure: 'one is, or what it needs is missing',
  async run({ cache = CACHE, short }, cleanup) {
    const tools = await install(new Commands(cleanup), resolve(cache));
    const [criteria, figures] = await withRig(cleanup, async (rig) => {
      const zipkin = await Zipkin.start(rig, tools.zipkin);
      return [await followed(rig, tools, zipkin), short ? '' : await costs(rig, tools, zipkin)];
    });
    print(criterionLines(criteria));
    print(figures);
    return criteria.every(({ passed }) => passed) ? 0 : 1;
  },
});
