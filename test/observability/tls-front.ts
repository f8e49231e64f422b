import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import https from 'node:https';
import { join } from 'node:path';
import type { AddressInfo } from 'node:net';
import type { Cleanup } from '../../bench/cleanup.js';

/** What speaks TLS in front of the service, as far as its certificate goes. */
export class TlsFront {
  private readonly server = https.createServer((_, response) => response.end('{"status":"UP"}'));

  private constructor(private readonly folder: string) {}

  static async start(cleanup: Cleanup, folder: string): Promise<TlsFront> {
    const front = new TlsFront(folder);
    front.certify(90);
    await once(front.server.listen(0, '127.0.0.1'), 'listening');
    cleanup.defer(() => void front.server.close());
    return front;
  }

  get url(): string {
    return `https://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  /** With a new certificate from now on. */
  certify(days: number): void {
    const [key, cert] = [join(this.folder, 'tls.key'), join(this.folder, 'tls.crt')];
    const files = ['-keyout', key, '-out', cert, '-days', String(days)];
    const about = ['-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=localhost'];
    execFileSync('openssl', ['req', ...about, ...files], { stdio: 'ignore' });
    this.server.setSecureContext({ key: readFileSync(key), cert: readFileSync(cert) });
  }
}
