import { X509Certificate } from 'node:crypto';
import { rootCertificates } from 'node:tls';

/** Certificates between a leaf and its root. */
const ISSUERS_MAX = 4;
const PEM = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
const ISSUER_URL = /^CA Issuers - URI:(https?:\/\/\S+)$/m;

/** What a chain is checked with. */
export interface ChainProof {
  /** ms since the epoch. */
  readonly nowMs: number;
  /** Trusted roots in PEM. Default: those of Node. */
  readonly roots?: readonly string[];
  /** The body of a public address. */
  get(url: string): Promise<Buffer>;
}

/** The certificates of a PEM file, in their order, or the one of a DER file. @throws Error where there is none */
export function certificatesIn(file: Buffer): [X509Certificate, ...X509Certificate[]] {
  const [first = file, ...others] = file.toString('latin1').match(PEM) ?? [];
  return [new X509Certificate(first), ...others.map((one) => new X509Certificate(one))];
}

/**
 * Whether a chain leads from the first certificate to a trusted root. An issuer is one of the other certificates, or comes from the address
 * that its certificate names. Rejects where an issuer cannot be had.
 */
export async function isTrusted([leaf, ...others]: readonly [X509Certificate, ...X509Certificate[]], proof: ChainProof): Promise<boolean> {
  const { nowMs, roots = rootCertificates, get } = proof;
  const isIssuer = (issuer: X509Certificate, of: X509Certificate) =>
    of.checkIssued(issuer) && issuer.ca && isValidAt(issuer, nowMs) && of.verify(issuer.publicKey);
  let last = leaf;
  for (let issuers = 0; issuers <= ISSUERS_MAX; issuers += 1) {
    const issued = last;
    if (parsed(roots).some((root) => isIssuer(root, issued))) return true;
    const [, url] = ISSUER_URL.exec(issued.infoAccess ?? '') ?? [];
    const issuer = others.find((one) => isIssuer(one, issued)) ?? (url === undefined ? undefined : certificatesIn(await get(url))[0]);
    if (!issuer || !isIssuer(issuer, issued)) return false;
    last = issuer;
  }
  return false;
}

/** Whether a certificate is valid at a time, ms since the epoch. */
export function isValidAt({ validFrom, validTo }: X509Certificate, atMs: number): boolean {
  return Date.parse(validFrom) <= atMs && atMs <= Date.parse(validTo);
}

const parsedRoots = new WeakMap<readonly string[], readonly X509Certificate[]>();

function parsed(roots: readonly string[]) {
  let certificates = parsedRoots.get(roots);
  if (!certificates) parsedRoots.set(roots, (certificates = roots.map((root) => new X509Certificate(root))));
  return certificates;
}
