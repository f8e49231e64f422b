import type { Protocol } from '../protocol.js';
import { DATABASE_LOSSES } from './database-loss.js';
import { DISK_FULL } from './disk-full.js';
import { KILLED } from './killed.js';
import { LARGE_RESPONSES } from './large-responses.js';
import { LARGE_BODIES } from './large-bodies.js';
import { LARGE_IMPORTS } from './large-imports.js';
import { LOG_LOSSES } from './log.js';
import { EDGE } from './edge.js';
import { ONE_ACCOUNT } from './one-account.js';
import { RESTORED } from './restored.js';

/** In the order of a run. */
export const PROTOCOLS: readonly Protocol[] = [
  ...DATABASE_LOSSES,
  ...LOG_LOSSES,
  DISK_FULL,
  KILLED,
  RESTORED,
  LARGE_BODIES,
  LARGE_RESPONSES,
  LARGE_IMPORTS,
  EDGE,
  ONE_ACCOUNT,
];
