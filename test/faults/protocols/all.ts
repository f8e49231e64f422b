import type { Protocol } from '../protocol.js';
import { CLOCK_OFF } from './clock.js';
import { DATABASE_LOSSES } from './database-loss.js';
import { DISK_FULL } from './disk-full.js';
import { KILLED } from './killed.js';
import { LARGE_ANSWERS } from './large-answers.js';
import { LARGE_BODIES } from './large-bodies.js';
import { LARGE_IMPORTS } from './large-imports.js';
import { LOCKED_TABLE } from './locked-table.js';
import { LOG_LOSSES } from './log.js';
import { NETWORK_TROUBLES } from './network.js';
import { ONE_ACCOUNT } from './one-account.js';
import { RESTORED } from './restored.js';
import { SELF_CHECK } from './self-check.js';
import { SIGN_IN_FLOOD } from './sign-in-flood.js';
import { SLOW_SOCKETS } from './slow-sockets.js';
import { TERMINATED } from './terminated.js';
import { UNREAD_ANSWERS } from './unread-answers.js';

/** In the order in which they run. */
export const PROTOCOLS: readonly Protocol[] = [
  SELF_CHECK,
  ...DATABASE_LOSSES,
  ...NETWORK_TROUBLES,
  LOCKED_TABLE,
  KILLED,
  TERMINATED,
  RESTORED,
  DISK_FULL,
  CLOCK_OFF,
  SIGN_IN_FLOOD,
  SLOW_SOCKETS,
  LARGE_BODIES,
  ...LARGE_ANSWERS,
  LARGE_IMPORTS,
  UNREAD_ANSWERS,
  ONE_ACCOUNT,
  ...LOG_LOSSES,
];
