import { once } from 'node:events';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Cleanup } from '../../../bench/cleanup.js';
import { makeCertificate } from '../../support/certificate.js';

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
    this.server.setSecureContext({ ...makeCertificate(this.folder, days) });
  }
}
