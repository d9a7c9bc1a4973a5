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

  /** Valid for `names` until `end` (default: some days). @param names as openssl writes them, by default of this machine */
  sign(name: string, end?: Date, names = 'IP:127.0.0.1,DNS:localhost'): KeyPair {
    const { certificate, key } = this.paths(name);
    const [request, extensions] = [join(this.folder, `${name}.csr`), join(this.folder, `${name}.ext`)];
    writeFileSync(extensions, `subjectAltName=${names}\n`);
    this.openssl('req', ...this.newKey(key), '-subj', `/CN=${name}`, '-out', request);
    if (end) this.signUntil(end, request, extensions, certificate);
    else {
      const authority = ['-CA', this.ca.certificate, '-CAkey', this.ca.key, '-CAcreateserial'];
      this.openssl('x509', '-req', '-in', request, ...authority, '-days', DAYS, '-extfile', extensions, '-out', certificate);
    }
    return { certificate, key };
  }

  /** Only `openssl ca` of its older versions takes a time. */
  private signUntil(end: Date, request: string, extensions: string, certificate: string): void {
    const database = join(this.folder, 'index.txt');
    writeFileSync(database, '');
    const settings = join(this.folder, 'ca.conf');
    const policy = 'policy = names\n[ names ]\ncommonName = supplied\n';
    writeFileSync(settings, `[ ca ]\ndefault_ca = own\n[ own ]\ndatabase = ${database}\ndefault_md = sha256\nrand_serial = yes\n${policy}`);
    const enddate = `${end.toISOString().replace(/[-:T]/g, '').slice(2, 14)}Z`;
    const authority = ['-cert', this.ca.certificate, '-keyfile', this.ca.key, '-outdir', this.folder];
    const form = ['-extfile', extensions, '-enddate', enddate, '-in', request, '-out', certificate, '-notext', '-batch'];
    this.openssl('ca', '-config', settings, ...authority, ...form);
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
