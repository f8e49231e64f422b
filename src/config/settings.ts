/** The injection token of the settings, which are plain data. */
export const SETTINGS = Symbol('settings');

/** The injection token of the process's logger. */
export const LOGGER = Symbol('logger');

export type { Settings } from './env.js';
