#!/usr/bin/env node
import { bankImport } from './command.js';

process.exitCode = await bankImport(process.argv.slice(2), process);
