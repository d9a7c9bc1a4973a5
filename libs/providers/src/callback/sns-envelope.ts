import { createVerify, type X509Certificate } from 'node:crypto';
import { DAY_MS } from '@tidings/contracts/core/duration';
import type { JsonObject } from '@tidings/contracts/core/deep-merge';
import { unavailable } from '@tidings/contracts/core/errors';
import { LRUCache } from 'lru-cache';
import { instantOf } from './bodies';
import { certificatesIn, type ChainProof, isTrusted, isValidAt } from './certificate-chain';
import { isEqual, isWithin } from './signatures';

/** What SNS posts: fields of a notification, or of the confirmation of a subscription. */
export type SnsEnvelope = JsonObject;

const HOST = /^sns\.[a-zA-Z0-9-]{3,}\.amazonaws\.com(\.cn)?$/;
/** Names in its certificates: `sns.amazonaws.com`, and of some regions `sns-signing.af-south-1.amazonaws.com`. */
const SUBJECT = /\bsns[.-]([a-z0-9-]+\.)*amazonaws\.com(\.cn)?(?![\w.-])/;
/** Retries keep the time of the first attempt. */
const AGE_MS_MAX = DAY_MS;
const CERTIFICATES_MAX = 50;
/** Signed fields, in their order, by the type of the envelope. */
const NOTIFICATION = ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'];
const CONFIRMATION = ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'];
const SIGNED: Readonly<Record<string, readonly (readonly string[])[]>> = {
  Notification: [NOTIFICATION],
  SubscriptionConfirmation: [CONFIRMATION],
  // One validator of AWS leaves the token out.
  UnsubscribeConfirmation: [CONFIRMATION, CONFIRMATION.filter((name) => name !== 'Token')],
};
const ALGORITHMS: Readonly<Record<string, string>> = { '1': 'RSA-SHA1', '2': 'RSA-SHA256' };

/** Trusted ones by their addresses, which change with each certificate. */
const certificates = new LRUCache<string, X509Certificate>({ max: CERTIFICATES_MAX, ttl: DAY_MS });

/** Whether an address is one of SNS itself. */
export function isSnsUrl(text: unknown): text is string {
  if (typeof text !== 'string' || !URL.canParse(text)) return false;
  const { protocol, hostname, port, username, password } = new URL(text);
  return protocol === 'https:' && HOST.test(hostname) && port === '' && username === '' && password === '';
}

interface SnsProof extends ChainProof {
  /** The topic that is subscribed: SNS signs the envelopes of any other one just as well. */
  readonly topicArn: string;
  /** `1` is accepted as well only where the configuration says so. */
  readonly versions: readonly string[];
}

/**
 * Why an envelope is refused; undefined where SNS signed it for the topic within the last day. Rejects where the certificate cannot be had.
 */
export async function refusalOfSns(envelope: SnsEnvelope, { topicArn, versions, ...proof }: SnsProof): Promise<string | undefined> {
  const { nowMs } = proof;
  const { Type, TopicArn, Timestamp, SignatureVersion, Signature, SigningCertURL } = envelope;
  if (typeof TopicArn !== 'string' || !isEqual(TopicArn, topicArn)) return 'It is of another topic';
  const version = String(SignatureVersion);
  const algorithm = versions.includes(version) ? ALGORITHMS[version] : undefined;
  if (!algorithm) return `Its signature has the version ${version.slice(0, 10)}: set the attribute SignatureVersion of the topic to 2`;
  if (!isWithin(instantOf(Timestamp, Number.NaN), nowMs, AGE_MS_MAX)) return 'Its time is more than a day ago';
  if (!isSnsUrl(SigningCertURL) || !new URL(SigningCertURL).pathname.endsWith('.pem')) return 'Its certificate is not at an address of SNS';
  const orders = SIGNED[String(Type)];
  if (!orders || typeof Signature !== 'string') return 'It is not signed';
  const certificate = await trustedAt(SigningCertURL, proof);
  if (!certificate || !isValidAt(certificate, nowMs)) return 'Its certificate is not one of SNS that is valid now';
  const isSigned = orders.some((names) =>
    createVerify(algorithm).update(signedText(envelope, names)).verify(certificate.publicKey, Signature, 'base64'),
  );
  return isSigned ? undefined : 'Its signature is wrong';
}

/** The certificate at an address; undefined where it is not of SNS, or no trusted root issued it. */
async function trustedAt(url: string, proof: ChainProof): Promise<X509Certificate | undefined> {
  const cached = certificates.get(url);
  if (cached) return cached;
  const [certificate, ...issuers] = await certificatesAt(url, proof);
  const names = certificate.subjectAltName ?? certificate.subject;
  if (!SUBJECT.test(names) || !(await isTrusted([certificate, ...issuers], proof))) return undefined;
  certificates.set(url, certificate);
  return certificate;
}

async function certificatesAt(url: string, { get }: ChainProof) {
  const file = await get(url);
  try {
    return certificatesIn(file);
  } catch (error) {
    throw unavailable('The certificate of SNS cannot be read', error);
  }
}

function signedText(envelope: SnsEnvelope, names: readonly string[]) {
  const present = names.filter((name) => envelope[name] !== undefined && envelope[name] !== null);
  return present.map((name) => `${name}\n${String(envelope[name])}\n`).join('');
}
