import { AwsSigner } from './sigv4';

const SENT_AT = Date.parse('2026-01-02T03:04:05Z');
const KEY = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };
const MAIL = {
  method: 'POST',
  url: new URL('https://email.eu-central-1.amazonaws.com/v2/email/outbound-emails'),
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({
    FromEmailAddress: 'a@example.com',
    Destination: { ToAddresses: ['b@example.com'] },
    Content: { Simple: { Subject: { Data: 'Hi', Charset: 'UTF-8' }, Body: { Text: { Data: 'Hallo', Charset: 'UTF-8' } } } },
  }),
};

// Signatures by botocore, at the same time with the same keys.
it.each([
  ['a mail', 'ses', {}, MAIL, 'content-type;host;x-amz-date', '4edbfbcc8f28522c13f0818189aa35b3df427224d68e9caebf772288998d1d9d'],
  [
    'a mail, with temporary credentials',
    'ses',
    { sessionToken: 'TOKENEXAMPLE' },
    MAIL,
    'content-type;host;x-amz-date;x-amz-security-token',
    'eb00e88eb4186ce3bf971c8fd584d940e7e06548709da44b500933bf24d7aeed',
  ],
  [
    'a form',
    'sns',
    {},
    {
      method: 'POST',
      url: new URL('https://sns.eu-central-1.amazonaws.com/'),
      headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' },
      body: 'Action=Publish&Version=2010-03-31&PhoneNumber=%2B4915123456789&Message=Hallo',
    },
    'content-type;host;x-amz-date',
    'd30b599fa6cc8c4159605921bd8d38402425bb9e498d890af615e0724f6c37e1',
  ],
])('signs %s as AWS does', (_name, service, session, request, names, signature) => {
  const headers = new AwsSigner({ ...KEY, ...session }, { service, region: 'eu-central-1' }).headersOf(request, SENT_AT);

  expect(headers).toEqual({
    'x-amz-date': '20260102T030405Z',
    ...('sessionToken' in session && { 'x-amz-security-token': session.sessionToken }),
    authorization: `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20260102/eu-central-1/${service}/aws4_request, SignedHeaders=${names}, Signature=${signature}`,
  });
});

it('signs each day with a key of that day', () => {
  const signer = new AwsSigner(KEY, { service: 'ses', region: 'eu-central-1' });
  const atMidnight = Date.parse('2026-01-03T00:00:00Z');

  const [before, after] = [SENT_AT, atMidnight].map((at) => signer.headersOf(MAIL, at).authorization);

  expect(after).not.toBe(before);
  expect(after).toBe(new AwsSigner(KEY, { service: 'ses', region: 'eu-central-1' }).headersOf(MAIL, atMidnight).authorization);
});
