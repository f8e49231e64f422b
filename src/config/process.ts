import { once } from 'node:events';
import { createServer } from 'node:net';
import { ConfigurationError, type Settings } from './env.js';

/** Under npm one signal arrives twice: from the terminal or systemd, and from npm, which passes it on. Milliseconds. */
export const ECHO_TIME = 500;

/**
 * Aborted by the first SIGINT, SIGTERM or, from a closed terminal, SIGHUP. A later one ends the process with the code if it
 * may, unless it is an echo, or a SIGHUP, which systemd and shells send after another.
 */
export function stopSignal(exitCode: number, mayEnd = (): boolean => true): AbortSignal {
  const controller = new AbortController();
  let first: { readonly name: string; readonly at: number } | undefined;
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(name, () => {
      if (first === undefined) {
        first = { name, at: Date.now() };
        controller.abort();
        return;
      }
      const isEcho = Date.now() - first.at <= ECHO_TIME && (name === 'SIGINT' || name === first.name);
      if (name !== 'SIGHUP' && !isEcho && mayEnd()) process.exit(exitCode);
    });
  return controller.signal;
}

/** The system's error code when the port cannot be listened on now, else undefined. */
export async function portError(host: string, port: number): Promise<string | undefined> {
  const server = createServer().listen({ host, port });
  const code = ({ code = 'unknown' }: NodeJS.ErrnoException): string => code;
  return once(server, 'listening')
    .then(() => undefined, code)
    .finally(() => server.close());
}

/** The URL for programs on this machine of a service that listens there. */
export function localUrl(host: string, port: number): string {
  const name = { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[host] ?? (host.includes(':') ? `[${host}]` : host);
  return `http://${name}:${port}`;
}

/** Throws when the service cannot listen there now. */
export async function requirePort({ host, port }: Pick<Settings, 'host' | 'port'>): Promise<void> {
  const code = await portError(host, port);
  if (code === undefined) return;
  const fault = `The service cannot listen on port ${port} of ${host} (${code}): ${portRemedy(code, port)}`;
  throw new ConfigurationError([fault]);
}

export function portRemedy(code: string, port: number): string {
  if (code === 'EADDRINUSE')
    return `something else listens there: stop it (lsof -i :${port} names it), or choose another: PORT=${(port % 65_535) + 1}`;
  return REMEDIES[code] ?? 'choose another PORT or HOST';
}

const REMEDIES: Readonly<Record<string, string>> = {
  EACCES: 'this user may not listen there: choose a PORT of 1024 or more',
  EADDRNOTAVAIL: 'this machine does not have that address: correct HOST',
  ENOTFOUND: 'this name is unknown: correct HOST',
};
