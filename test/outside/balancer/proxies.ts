import { writeFileSync } from 'node:fs';
import https from 'node:https';
import { join, resolve } from 'node:path';
import { freePort } from '../../../bench/launch.js';
import type { Rig } from '../../faults/support/rig.js';
import { Program, programOf } from '../../support/program.js';
import { type Certificate, makeCertificate } from '../support/certificate.js';
import { type Change, deployed } from '../support/deployed.js';

/** A proxy that runs with one of the files in deploy/proxy. */
export interface Proxy {
  readonly url: string;
  /** Trusts its certificate. */
  readonly agent: https.Agent;
  readonly ca: string;
  /** A second port, which takes the client's address from a line of the PROXY protocol. */
  readonly forgeable: number;
  readonly program: Program;
}

/** Only root can become another user. */
const ROOTS_ALONE = ['user haproxy', 'group haproxy', 'chroot /var/lib/haproxy'].map(
  (line) => [line, ''] as const,
);
const FORGED_ADDRESS = 'set_real_ip_from 127.0.0.1; real_ip_header proxy_protocol;';
/** The servers of deploy/proxy/haproxy.cfg, at the end of its lines. */
const SERVERS = /( +server )a 10\.0\.0\.11:8080(.*)\n( +server .*\n)*/;
/** Of `option httplog`: date, time, frontend, backend and server. */
const FORWARDED = /\[(\d+\/\w+\/\d+):([\d:.]+)\] \S+ service\/(\S+) /g;

/** HAProxy with the deployed file, except for addresses, certificate and given changes. Its servers are a, b, c. */
export async function startHaproxy(
  rig: Rig,
  ports: readonly number[],
  changes: readonly Change[] = [],
): Promise<Proxy> {
  return start(rig, ({ port, forgeable, cert, key }) => {
    const text = deployed('proxy/haproxy.cfg', [
      ...ROOTS_ALONE,
      ['bind :443', `bind 127.0.0.1:${port}`],
      ['bind [::]:443 v6only', `bind 127.0.0.1:${forgeable} accept-proxy`],
      ['/etc/haproxy/property-finance.pem', write(rig.folder, 'both.pem', cert + key)],
      ['/etc/haproxy/checked.lua', resolve('deploy/proxy/checked.lua')],
      ...changes,
    ]);
    const [, before, after] = SERVERS.exec(text) ?? [];
    if (before === undefined) throw new Error('deploy/proxy/haproxy.cfg no longer has a server a');
    const servers = ports.map((at, index) => `${before}${serverName(index)} 127.0.0.1:${at}${after}\n`);
    const file = write(rig.folder, `haproxy-${port}.cfg`, text.replace(SERVERS, servers.join('')));
    return [programOf('haproxy'), '-f', file];
  });
}

export async function startNginx(rig: Rig, servicePort: number): Promise<Proxy> {
  return start(rig, ({ port, forgeable, cert, key }) => {
    const text = deployed('proxy/nginx.conf', [
      ['listen 443', `listen 127.0.0.1:${port}`],
      ['listen [::]:443 ssl http2;', `listen 127.0.0.1:${forgeable} ssl proxy_protocol; ${FORGED_ADDRESS}`],
      ['/etc/nginx/property-finance.crt', write(rig.folder, 'certificate.pem', cert)],
      ['/etc/nginx/property-finance.key', write(rig.folder, 'key.pem', key)],
      ['127.0.0.1:8080', `127.0.0.1:${servicePort}`],
    ]);
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
    const main = [
      `daemon off; pid ${rig.folder}/nginx.pid; error_log stderr; events {}`,
      `http { access_log off; include ${write(rig.folder, 'site.conf', text)};`,
      ...temporary.map((name) => `${name}_temp_path ${rig.folder}/nginx-${name};`),
      '}',
    ];
    const file = write(rig.folder, 'nginx.conf', main.join('\n'));
    return [programOf('nginx', 'nginx-light'), '-c', file, '-e', 'stderr'];
  });
}

/** The requests that HAProxy has passed on from that moment on, or tried to. Without a server it is `<NOSRV>`. */
export function forwarded({ program }: Proxy, since: number): { at: number; server: string }[] {
  return [...program.output.matchAll(FORWARDED)].flatMap(([, day = '', time = '', server = '']) => {
    const at = Date.parse(`${day.replaceAll('/', ' ')} ${time}`) - performance.timeOrigin;
    return at >= since ? [{ at, server }] : [];
  });
}

export function serverName(index: number): string {
  return String.fromCharCode('a'.charCodeAt(0) + index);
}

function write(folder: string, name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

type Ends = Certificate & Readonly<Record<'port' | 'forgeable', number>>;

async function start(rig: Rig, commandFor: (ends: Ends) => string[]): Promise<Proxy> {
  const { cert: ca, key } = makeCertificate(rig.folder, 2);
  const [port, forgeable] = [await freePort(), await freePort()];
  const command = commandFor({ cert: ca, key, port, forgeable });
  const program = await new Program(rig, command, { signals: ['SIGTERM'] }).listens(port);
  const agent = new https.Agent({ keepAlive: true, ca });
  return { url: `https://127.0.0.1:${port}`, agent, ca, forgeable, program };
}
