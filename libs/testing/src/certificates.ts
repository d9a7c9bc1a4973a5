import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const DAYS = '2';

/** Paths of the PEM files of a key and its certificate. */
export interface KeyPair {
  certificate: string;
  key: string;
}

/** A certificate authority for one spec, created by openssl in a folder of its own. */
export class Certificates {
  private readonly folder = mkdtempSync(join(tmpdir(), 'tidings-certificates-'));
  readonly ca: KeyPair;

  constructor() {
    this.ca = this.paths('ca');
    this.openssl('req', '-x509', ...this.newKey(this.ca.key), '-subj', '/CN=spec authority', '-days', DAYS, '-out', this.ca.certificate);
  }

  /** Valid for 127.0.0.1. */
  sign(name: string): KeyPair {
    const { certificate, key } = this.paths(name);
    const [request, extensions] = [join(this.folder, `${name}.csr`), join(this.folder, `${name}.ext`)];
    writeFileSync(extensions, 'subjectAltName=IP:127.0.0.1,DNS:localhost\n');
    this.openssl('req', ...this.newKey(key), '-subj', `/CN=${name}`, '-out', request);
    const authority = ['-CA', this.ca.certificate, '-CAkey', this.ca.key, '-CAcreateserial'];
    this.openssl('x509', '-req', '-in', request, ...authority, '-days', DAYS, '-extfile', extensions, '-out', certificate);
    return { certificate, key };
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  private newKey(path: string): string[] {
    return ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', path];
  }

  private paths(name: string): KeyPair {
    return { certificate: join(this.folder, `${name}.pem`), key: join(this.folder, `${name}.key`) };
  }

  private openssl(...parameters: string[]): void {
    execFileSync('openssl', parameters, { stdio: 'pipe' });
  }
}
