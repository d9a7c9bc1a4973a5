import { X509Certificate } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { Certificates } from '@tidings/testing/certificates';
import { TEST_TOPICS } from '@tidings/testing/kafka';
import { firstExpiryOf, watchCertificates } from './certificate-expiry';
import { metrics } from './metrics';

describe('the expiry of certificates', () => {
  let certificates: Certificates;
  let end: (() => void) | undefined;

  beforeEach(() => {
    certificates = new Certificates();
  });
  afterEach(() => {
    end?.();
    certificates.remove();
  });

  const endOf = (file: string): number => Date.parse(new X509Certificate(readFileSync(file)).validTo) / 1_000;

  it('is that of the first of several certificates that ends, and 0 of a text without any', () => {
    const { certificate } = certificates.ca;
    const pem = readFileSync(certificate, 'utf8');

    expect(firstExpiryOf(`${pem}\n${pem}`)).toBe(endOf(certificate));
    expect(firstExpiryOf('no certificate')).toBe(0);
  });

  it('is shown of the files of Kafka and of the database, and 0 of a file that cannot be read', async () => {
    const { ca } = certificates;
    const own = certificates.sign('messaging');
    const broken = `${ca.certificate}.broken`;
    writeFileSync(broken, 'broken');
    const tls = { ca: ca.certificate, certificate: { cert: own.certificate, key: own.key } };
    const databaseUrl = `postgresql://u@127.0.0.1/d?sslmode=verify-full&sslrootcert=${encodeURIComponent(broken)}`;
    end = watchCertificates({ kafka: { brokers: [], topicPrefix: '', signing: { secrets: [] }, topics: TEST_TOPICS, tls }, databaseUrl });

    const shown = await metrics.registry.getSingleMetricAsString('tidings_certificate_expiry_timestamp_seconds');

    expect(shown).toContain(`{certificate="kafka_ca"} ${endOf(ca.certificate)}`);
    expect(shown).toContain(`{certificate="kafka_client"} ${endOf(own.certificate)}`);
    expect(shown).toContain('{certificate="database_ca"} 0');
    expect(shown).toContain('{certificate="database_client"} 0');
  });
});
