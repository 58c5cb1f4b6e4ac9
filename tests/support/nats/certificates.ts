/** Certificates for servers on the loopback, by an authority of their own. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

export interface Certificates {
  /** Files in PEM. */
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** @param folder where the files are written; `name` keeps two authorities apart in one folder */
export function issueCertificates(folder: string, name = 'nats'): Certificates {
  const file = (kind: string) => join(folder, `${name}-${kind}.pem`);
  const [caKey, ca, key, cert] = [file('ca-key'), file('ca'), file('key'), file('cert')];
  const made = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  openssl(['req', '-x509', ...made, '-subj', `/CN=${name}`, '-keyout', caKey, '-out', ca]);
  // The client library holds the certificate of an address without a name against this one.
  const signed = [
    '-CA',
    ca,
    '-CAkey',
    caKey,
    '-addext',
    'subjectAltName=DNS:localhost,IP:127.0.0.1',
  ];
  openssl([
    'req',
    '-x509',
    ...made,
    ...signed,
    '-subj',
    '/CN=server',
    '-keyout',
    key,
    '-out',
    cert,
  ]);
  return { ca, cert, key };
}

function openssl(args: readonly string[]): void {
  execFileSync('openssl', args, { stdio: 'pipe' });
}
