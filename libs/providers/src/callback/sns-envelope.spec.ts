import { createSign } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { awsSesCallback } from '../aws-ses/aws-ses.callback';
import { callbackProof, callbackRequest } from './callback.fixture';
import { isSnsUrl } from './sns-envelope';

const TOPIC = 'arn:aws:sns:eu-central-1:123456789012:mails';
const urlOf = (certificate: string) => `https://sns.eu-central-1.amazonaws.com/${certificate}.pem`;
const SUBSCRIBE_URL = 'https://sns.eu-central-1.amazonaws.com/?Action=ConfirmSubscription&Token=t';
const folder = mkdtempSync(path.join(tmpdir(), 'tidings-sns-'));
const file = (name: string) => path.join(folder, name);
const read = (name: string) => readFileSync(file(name));
const ISSUER_URL = 'http://crt.example.com/issuer.cer';
const CA = 'basicConstraints=critical,CA:TRUE';

/** A certificate by `issuer`, or by itself, with its key. */
function issue(name: string, subject: string, extensions: readonly string[] = [], issuer = name) {
  const names = ['-subj', `/CN=${subject}`, ...extensions.flatMap((one) => ['-addext', one])];
  const by = issuer === name ? [] : ['-CA', file(`${issuer}.pem`), '-CAkey', file(`${issuer}.key`)];
  const keys = ['-newkey', 'rsa:2048', '-nodes', '-keyout', file(`${name}.key`)];
  execFileSync('openssl', ['req', '-x509', '-days', '2', ...keys, ...names, ...by, '-out', file(`${name}.pem`)], { stdio: 'ignore' });
}

beforeAll(() => {
  issue('root', 'Root', [CA]);
  issue('issuer', 'Issuer', [CA], 'root');
  execFileSync('openssl', ['x509', '-in', file('issuer.pem'), '-outform', 'DER', '-out', file('issuer.cer')]);
  const leaf = (subject: string) => [
    'basicConstraints=CA:FALSE',
    `subjectAltName=DNS:${subject}`,
    `authorityInfoAccess=caIssuers;URI:${ISSUER_URL}`,
  ];
  issue('sns', 'sns.amazonaws.com', leaf('sns.amazonaws.com'), 'issuer');
  issue('other', 'sns.example.com', leaf('sns.example.com'), 'issuer');
  issue('own', 'sns.amazonaws.com', leaf('sns.amazonaws.com'));
  issue('by-leaf', 'sns.amazonaws.com', leaf('sns.amazonaws.com'), 'other');
  appendFileSync(file('by-leaf.pem'), read('other.pem'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const NOTIFICATION = { Type: 'Notification', MessageId: 'm-1', TopicArn: TOPIC, Message: '{}' };
const CONFIRMATION = {
  Type: 'SubscriptionConfirmation',
  MessageId: 'm-2',
  TopicArn: TOPIC,
  Message: 'Hi',
  SubscribeURL: SUBSCRIBE_URL,
  Token: 't',
};

/** As SNS signs: each field with its name, in the order of the names. */
function signed(fields: Record<string, string>, { version = '2', certificateUrl = urlOf('sns'), key = 'sns' } = {}) {
  const whole: Record<string, string> = { Timestamp: new Date().toISOString(), ...fields };
  const text = Object.keys(whole)
    .sort()
    .map((name) => `${name}\n${whole[name]}\n`)
    .join('');
  const Signature = createSign(version === '1' ? 'RSA-SHA1' : 'RSA-SHA256')
    .update(text)
    .sign(read(`${key}.key`), 'base64');
  return { ...whole, SignatureVersion: version, Signature, SigningCertURL: certificateUrl };
}

function verify(envelope: object, settings: Record<string, unknown> = {}) {
  const requested: string[] = [];
  const get = (url: string) => {
    requested.push(url);
    return Promise.resolve(read(new URL(url).pathname.slice(1) || 'sns.pem'));
  };
  const proof = callbackProof({ sns_topic_arn: TOPIC, ...settings }, { get, roots: [read('root.pem').toString()] });
  return { requested, proof, refusal: Promise.resolve(awsSesCallback.verify(callbackRequest(envelope), proof)) };
}

it('accepts a notification and a confirmation of its topic', async () => {
  await expect(verify(signed(NOTIFICATION)).refusal).resolves.toBeUndefined();
  await expect(verify(signed({ ...NOTIFICATION, Subject: 'Hi' })).refusal).resolves.toBeUndefined();
  await expect(verify(signed(CONFIRMATION)).refusal).resolves.toBeUndefined();
});

it.each([
  ['of another topic', signedLater({ TopicArn: `${TOPIC}-other` }), /another topic/],
  ['of yesterday', signedLater({ Timestamp: new Date(Date.now() - 25 * 3_600_000).toISOString() }), /more than a day/],
  ['without a time', signedLater({ Timestamp: 'soon' }), /more than a day/],
  ['of an unknown type', signedLater({ Type: 'Other' }), /not signed/],
  ['with an old signature', () => signed(NOTIFICATION, { version: '1' }), /SignatureVersion/],
  ['whose certificate is elsewhere', () => signed(NOTIFICATION, { certificateUrl: 'https://sns.evil.example/a.pem' }), /certificate/],
  [
    'whose certificate is no certificate',
    () => signed(NOTIFICATION, { certificateUrl: urlOf('sns').replace('.pem', '.txt') }),
    /certificate/,
  ],
  ['that was changed', () => ({ ...signed(NOTIFICATION), Message: '{"a":1}' }), /signature is wrong/],
] as const)('refuses one %s', async (_which, envelope, reason) => {
  await expect(verify(envelope()).refusal).resolves.toMatch(reason);
});

it.each([
  ['of another host', 'other'],
  ['that no root issued', 'own'],
  ['that another leaf issued', 'by-leaf'],
])('refuses one with a certificate %s', async (_which, key) => {
  await expect(verify(signed(NOTIFICATION, { key, certificateUrl: urlOf(key) })).refusal).resolves.toMatch(/not one of SNS/);
});

it('requests a certificate and its issuer once', async () => {
  const envelope = signed(NOTIFICATION, { certificateUrl: `${urlOf('sns')}?another` });
  const first = verify(envelope);
  await first.refusal;
  expect(first.requested).toEqual([`${urlOf('sns')}?another`, ISSUER_URL]);
  const again = verify(envelope);
  await again.refusal;
  expect(again.requested).toEqual([]);
});

it('accepts an old signature where the configuration says so', async () => {
  await expect(verify(signed(NOTIFICATION, { version: '1' }), { sns_signature_version: 1 }).refusal).resolves.toBeUndefined();
});

it('confirms a subscription at an address of SNS, and at no other', async () => {
  const { proof, requested } = verify(signed(CONFIRMATION));
  await awsSesCallback.answer!(callbackRequest(CONFIRMATION), proof);
  expect(requested).toContain(SUBSCRIBE_URL);

  const other = verify(signed(CONFIRMATION));
  await awsSesCallback.answer!(callbackRequest({ ...CONFIRMATION, SubscribeURL: 'https://evil.example/' }), other.proof);
  expect(other.requested).not.toContain('https://evil.example/');
});

it.each([
  'http://sns.eu-central-1.amazonaws.com/',
  'https://sns.eu-central-1.amazonaws.com:8443/',
  'https://sns.eu-central-1.amazonaws.com.evil.example/',
  'https://user@sns.eu-central-1.amazonaws.com/',
  'https://s3.eu-central-1.amazonaws.com/',
  'no address',
])('%s is no address of SNS', (url) => {
  expect(isSnsUrl(url)).toBe(false);
});

function signedLater(fields: Record<string, string>) {
  return () => signed({ ...NOTIFICATION, ...fields });
}
