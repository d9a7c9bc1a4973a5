import { createPrivateKey } from 'node:crypto';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** How clients have to reach the brokers; nothing of it means plain TCP without a password. */
export interface ListenerSecurity {
  /** Paths of PEM files: the brokers' certificate and key and, if clients have to show a certificate, who may have signed it. */
  tls?: { certificate: string; key: string; clientCa?: string };
  /** The one user there is. */
  sasl?: { mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512'; username: string; password: string };
}

export const protocolOf = ({ tls, sasl }: ListenerSecurity): string =>
  tls ? (sasl ? 'SASL_SSL' : 'SSL') : sasl ? 'SASL_PLAINTEXT' : 'PLAINTEXT';

/** The server's properties for the listener called CLIENT; the files it needs are put into `folder`, which the broker sees as `seenAs`. */
export function securityProperties({ tls, sasl }: ListenerSecurity, folder: string, seenAs: string): Record<string, string> {
  return { ...(tls && tlsProperties(tls, folder, seenAs)), ...(sasl && saslProperties(sasl)) };
}

/** What has to be said when the storage is formatted, so that the user is known from the beginning. */
export function formatParameters({ sasl }: ListenerSecurity): string[] {
  if (!sasl || sasl.mechanism === 'plain') return [];
  return ['--add-scram', `${sasl.mechanism.toUpperCase()}=[name=${sasl.username},password=${sasl.password}]`];
}

function tlsProperties(
  { certificate, key, clientCa }: NonNullable<ListenerSecurity['tls']>,
  folder: string,
  seenAs: string,
): Record<string, string> {
  // Kafka reads keys as PKCS#8 only.
  const pkcs8 = createPrivateKey(readFileSync(key)).export({ type: 'pkcs8', format: 'pem' });
  writeFileSync(join(folder, 'keystore.pem'), `${pkcs8.toString()}${readFileSync(certificate, 'utf8')}`);
  if (clientCa) copyFileSync(clientCa, join(folder, 'client-ca.pem'));
  return {
    'listener.name.client.ssl.keystore.type': 'PEM',
    'listener.name.client.ssl.keystore.location': `${seenAs}/keystore.pem`,
    ...(clientCa && {
      'listener.name.client.ssl.client.auth': 'required',
      'listener.name.client.ssl.truststore.type': 'PEM',
      'listener.name.client.ssl.truststore.location': `${seenAs}/client-ca.pem`,
    }),
  };
}

function saslProperties({ mechanism, username, password }: NonNullable<ListenerSecurity['sasl']>): Record<string, string> {
  const name = `listener.name.client.${mechanism}.sasl.jaas.config`;
  const enabled = { 'listener.name.client.sasl.enabled.mechanisms': mechanism.toUpperCase() };
  if (mechanism === 'plain')
    return { ...enabled, [name]: `org.apache.kafka.common.security.plain.PlainLoginModule required user_${username}=${quoted(password)};` };
  return { ...enabled, [name]: 'org.apache.kafka.common.security.scram.ScramLoginModule required;' };
}

const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
