import { createPrivateKey } from 'node:crypto';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Security of the client listener; empty: plain TCP without a password. */
export interface ListenerSecurity {
  /** Paths of PEM files: the brokers' certificate and key, and the CA of client certificates if these are required. */
  tls?: { certificate: string; key: string; clientCa?: string };
  /** The only user, or the issuer of access tokens. */
  sasl?: { mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512'; username: string; password: string } | OauthListener;
}

/** Accepts the principals that signed tokens name (`sub`), by OAUTHBEARER. Brokers on Java only. */
export interface OauthListener {
  mechanism: 'oauthbearer';
  /** URL of the issuer's keys (JWKS). */
  jwksUrl: string;
  issuer: string;
  audience: string;
  /** Connections must authenticate again after so long at the latest. Default: when their tokens expire. */
  reauthenticationMs?: number;
}

export const protocolOf = ({ tls, sasl }: ListenerSecurity): string =>
  tls ? (sasl ? 'SASL_SSL' : 'SSL') : sasl ? 'SASL_PLAINTEXT' : 'PLAINTEXT';

/** Server properties of the listener CLIENT. Writes its files into `folder`, whose path for the broker is `brokerFolder`. */
export function securityProperties({ tls, sasl }: ListenerSecurity, folder: string, brokerFolder: string): Record<string, string> {
  return { ...(tls && tlsProperties(tls, folder, brokerFolder)), ...(sasl && saslProperties(sasl)) };
}

/** Parameters for formatting the storage that create the SCRAM user before the first start. */
export function formatParameters({ sasl }: ListenerSecurity): string[] {
  if (!sasl || sasl.mechanism === 'plain' || sasl.mechanism === 'oauthbearer') return [];
  return ['--add-scram', `${sasl.mechanism.toUpperCase()}=[name=${sasl.username},password=${sasl.password}]`];
}

/** Options of the broker's JVM: Kafka loads keys from URLs that are named here, and from no others. */
export function jvmOptions({ sasl }: ListenerSecurity): string[] {
  return sasl?.mechanism === 'oauthbearer' ? [`-Dorg.apache.kafka.sasl.oauthbearer.allowed.urls=${sasl.jwksUrl}`] : [];
}

function tlsProperties(
  { certificate, key, clientCa }: NonNullable<ListenerSecurity['tls']>,
  folder: string,
  brokerFolder: string,
): Record<string, string> {
  // Kafka reads only PKCS#8 keys.
  const pkcs8 = createPrivateKey(readFileSync(key)).export({ type: 'pkcs8', format: 'pem' });
  writeFileSync(join(folder, 'keystore.pem'), `${pkcs8.toString()}${readFileSync(certificate, 'utf8')}`);
  if (clientCa) copyFileSync(clientCa, join(folder, 'client-ca.pem'));
  return {
    'listener.name.client.ssl.keystore.type': 'PEM',
    'listener.name.client.ssl.keystore.location': `${brokerFolder}/keystore.pem`,
    ...(clientCa && {
      'listener.name.client.ssl.client.auth': 'required',
      'listener.name.client.ssl.truststore.type': 'PEM',
      'listener.name.client.ssl.truststore.location': `${brokerFolder}/client-ca.pem`,
    }),
  };
}

function saslProperties(sasl: NonNullable<ListenerSecurity['sasl']>): Record<string, string> {
  if (sasl.mechanism === 'oauthbearer') return oauthProperties(sasl);
  const { mechanism, username, password } = sasl;
  const name = `listener.name.client.${mechanism}.sasl.jaas.config`;
  const enabled = { 'listener.name.client.sasl.enabled.mechanisms': mechanism.toUpperCase() };
  if (mechanism === 'plain')
    return { ...enabled, [name]: `org.apache.kafka.common.security.plain.PlainLoginModule required user_${username}=${quoted(password)};` };
  return { ...enabled, [name]: 'org.apache.kafka.common.security.scram.ScramLoginModule required;' };
}

const OAUTH_CLASSES = 'org.apache.kafka.common.security.oauthbearer';

function oauthProperties({ jwksUrl, issuer, audience, reauthenticationMs }: OauthListener): Record<string, string> {
  return {
    'listener.name.client.sasl.enabled.mechanisms': 'OAUTHBEARER',
    'listener.name.client.oauthbearer.sasl.jaas.config': `${OAUTH_CLASSES}.OAuthBearerLoginModule required;`,
    'listener.name.client.oauthbearer.sasl.server.callback.handler.class': `${OAUTH_CLASSES}.OAuthBearerValidatorCallbackHandler`,
    'listener.name.client.oauthbearer.sasl.oauthbearer.jwks.endpoint.url': jwksUrl,
    'listener.name.client.oauthbearer.sasl.oauthbearer.expected.issuer': issuer,
    'listener.name.client.oauthbearer.sasl.oauthbearer.expected.audience': audience,
    ...(reauthenticationMs !== undefined && { 'listener.name.client.oauthbearer.connections.max.reauth.ms': String(reauthenticationMs) }),
  };
}

const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
