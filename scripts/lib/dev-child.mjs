// The service of npm run dev: loads the packages, waits to be told the options of the quickstart, and starts it.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder] = process.argv.slice(2);
const load = (name) => import(pathToFileURL(join(folder, 'src', name)));

process.once('disconnect', () => process.kill(process.pid, 'SIGTERM')); // whoever has started this is gone
const told = once(process, 'message');

// Most of a start goes into these, and they do not change.
const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
for (const name of Object.keys(dependencies)) await import(name).catch(() => undefined);

const [options] = await told;
const { loadEnvironmentFile } = await load('config/env.js');
const { quickstart } = await load('quickstart/quickstart.js');
loadEnvironmentFile();
await quickstart(options, process.env);
process.send('serving');
