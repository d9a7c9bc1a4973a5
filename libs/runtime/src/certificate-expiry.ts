import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Configuration } from './configuration';
import { type CERTIFICATES, METRICS } from './metric-table';
import { metrics } from './metrics';

/** Files are read again so often: an operator replaces them. */
const INTERVAL_MS = 60_000;
const PEM = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

type CertificateFile = (typeof CERTIFICATES)[number];

/** When the first of the certificates in a PEM text ends, in seconds since the epoch; 0 without any. */
export function firstExpiryOf(pem: string): number {
  const ends = (pem.match(PEM) ?? []).map((one) => Date.parse(new X509Certificate(one).validTo) / 1_000);
  return ends.length === 0 ? 0 : Math.min(...ends);
}

/** The configured files with certificates: of Kafka, and of the database by the parameters of its URL. */
export function certificateFiles({
  kafka,
  databaseUrl,
}: Pick<Configuration, 'kafka' | 'databaseUrl'>): Partial<Record<CertificateFile, string>> {
  const parameters = databaseUrl && URL.canParse(databaseUrl) ? new URL(databaseUrl).searchParams : undefined;
  return {
    kafka_ca: kafka?.tls?.ca,
    kafka_client: kafka?.tls?.certificate?.cert,
    database_ca: parameters?.get('sslrootcert') ?? undefined,
    database_client: parameters?.get('sslcert') ?? undefined,
  };
}

/** Shows when the certificates of this process end. Returns the function that ends this. */
export function watchCertificates(configuration: Pick<Configuration, 'kafka' | 'databaseUrl'>): () => void {
  const files = Object.entries(certificateFiles(configuration)).filter(([, file]) => file !== undefined);
  const read = () =>
    Promise.all(
      files.map(async ([certificate, file]) => ({
        labels: { certificate },
        value: firstExpiryOf(await readFile(file, 'utf8').catch(() => '')),
      })),
    );
  return metrics.read(METRICS.certificateExpiry, read, INTERVAL_MS);
}
