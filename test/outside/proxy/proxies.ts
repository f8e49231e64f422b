import { writeFileSync } from 'node:fs';
import https from 'node:https';
import { join, resolve } from 'node:path';
import { freePort } from '../../../bench/launch.js';
import type { Rig } from '../../faults/support/rig.js';
import { makeCertificate } from '../../support/certificate.js';
import { type Change, deployed } from '../../support/deployed.js';
import { Program, programOf } from '../../support/program.js';
import { ProxyLog } from './proxy-log.js';

/** A proxy that runs with one of the files in deploy/proxy. */
export interface Proxy {
  readonly url: string;
  /** Trusts its certificate. */
  readonly agent: https.Agent;
  readonly ca: string;
  /** A second port, which takes the client's address from a line of the PROXY protocol. */
  readonly forgeable: number;
  readonly log: ProxyLog;
}

/** Only root can become somebody else. */
const ROOTS_ALONE: readonly Change[] = [
  ['user haproxy', ''],
  ['group haproxy', ''],
  ['chroot /var/lib/haproxy', ''],
];

/** No second try, whatever happens. */
export const WITHOUT_RETRIES: readonly Change[] = [
  ['retries 2', 'retries 0'],
  ['retry-on conn-failure', ''],
  ['option redispatch 1', 'no option redispatch'],
];

const FORGED_ADDRESS = 'set_real_ip_from 127.0.0.1; real_ip_header proxy_protocol;';

/** The servers of deploy/proxy/haproxy.cfg, at the end of its lines. */
const SERVERS = /( +server )a 10\.0\.0\.11:8080(.*)\n( +server .*\n)*/;

/**
 * As the file has it, but for its addresses, its certificate and what is changed on purpose. Its servers are called a, b
 * and so on.
 */
export async function startHaproxy(
  rig: Rig,
  ports: readonly number[],
  changes: readonly Change[] = [],
): Promise<Proxy> {
  const { cert, key } = makeCertificate(rig.folder, 2);
  const pem = write(rig.folder, 'both.pem', cert + key);
  const [port, forgeable] = [await freePort(), await freePort()];
  const text = deployed('proxy/haproxy.cfg', [
    ...ROOTS_ALONE,
    ['bind :443', `bind 127.0.0.1:${port}`],
    ['bind [::]:443 v6only', `bind 127.0.0.1:${forgeable} accept-proxy`],
    ['/etc/haproxy/property-finance.pem', pem],
    ['/etc/haproxy/checked.lua', resolve('deploy/proxy/checked.lua')],
    ...changes,
  ]);
  const file = write(rig.folder, 'haproxy.cfg', withServers(text, ports));
  return run(rig, [programOf('haproxy'), '-f', file], { port, forgeable }, cert);
}

export async function startNginx(rig: Rig, servicePort: number): Promise<Proxy> {
  const { cert, key } = makeCertificate(rig.folder, 2);
  const [port, forgeable] = [await freePort(), await freePort()];
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
    `http { access_log off; ${temporary.map((name) => `${name}_temp_path ${rig.folder}/nginx-${name};`).join(' ')}`,
    `include ${write(rig.folder, 'site.conf', text)}; }`,
  ];
  const file = write(rig.folder, 'nginx.conf', main.join('\n'));
  const command = [programOf('nginx', 'nginx-light'), '-c', file, '-e', 'stderr'];
  return run(rig, command, { port, forgeable }, cert);
}

export function serverName(index: number): string {
  return String.fromCharCode('a'.charCodeAt(0) + index);
}

function withServers(text: string, ports: readonly number[]): string {
  const [, before, after] = SERVERS.exec(text) ?? [];
  if (before === undefined) throw new Error('deploy/proxy/haproxy.cfg no longer has a server a');
  const lines = ports.map((port, index) => `${before}${serverName(index)} 127.0.0.1:${port}${after}\n`);
  return text.replace(SERVERS, lines.join(''));
}

function write(folder: string, name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

async function run(
  rig: Rig,
  command: readonly string[],
  { port, forgeable }: { port: number; forgeable: number },
  ca: string,
): Promise<Proxy> {
  const log = new ProxyLog();
  const program = new Program(rig, command, { heard: (text) => log.add(text), signals: ['SIGTERM'] });
  await program.listens(port);
  const agent = new https.Agent({ keepAlive: true, ca });
  return { url: `https://127.0.0.1:${port}`, agent, ca, forgeable, log };
}
