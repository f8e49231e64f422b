/** A closed terminal sends SIGHUP. */
export const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Under npm one Ctrl-C arrives twice: from the terminal, and from npm, which passes it on. Milliseconds. */
export const ECHO_TIME = 500;
