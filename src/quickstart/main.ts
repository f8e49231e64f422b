import { parseArgs } from 'node:util';
import { loadEnvironmentFile } from '../config/env.js';
import { quickstart } from './quickstart.js';

// scripts/quickstart.mjs has said what is wrong with the options, before it installed and built.
const options = { port: { type: 'string' }, reset: { type: 'boolean', default: false } } as const;
const { values } = parseArgs({ options });
await quickstart(values, loadEnvironmentFile);
