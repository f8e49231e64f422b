import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { programOf } from '../../support/program.js';

export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** A new certificate of this machine, valid for so many days; openssl writes into the folder. */
export function makeCertificate(folder: string, days: number): Certificate {
  const [key, cert] = [join(folder, 'made-key.pem'), join(folder, 'made.pem')];
  const about = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1', '-days', String(days)];
  const files = ['-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert];
  execFileSync(programOf('openssl'), ['req', '-x509', ...files, ...about], { stdio: 'ignore' });
  return { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') };
}
