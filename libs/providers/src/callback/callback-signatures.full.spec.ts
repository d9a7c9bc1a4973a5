import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { mailgunCallback } from '../mailgun/mailgun.callback';
import { messagebirdCallback } from '../messagebird/messagebird.callback';
import { resendCallback } from '../resend/resend.callback';
import { sendgridCallback } from '../sendgrid/sendgrid.callback';
import { twilioCallback } from '../twilio/twilio.callback';
import { vonageCallback } from '../vonage/vonage.callback';
import { whatsappCallback } from '../whatsapp/whatsapp.callback';
import { callbackProof, callbackRequest } from './callback.fixture';

const ROOT = path.resolve(__dirname, '../../../..');
/** The vendors' own signatures, which are no part of the tree. */
const FOLDER = process.env.TIDINGS_VENDOR_DESCRIPTIONS ?? path.join(ROOT, '../shared/vendors');
const VECTORS = path.join(FOLDER, 'signature-vectors.json');

interface Vectors {
  sendgrid: { vectors: { publicKey: string; signature: string; timestamp: string; payload: string }[] };
  twilio: {
    form: { authToken: string; url: string; params: Record<string, string>; signature: string }[];
    json: { authToken: string; url: string; body: string; signature: string }[];
  };
  'standard-webhooks (Svix, Resend)': { vectors: { secret: string; id: string; timestamp: string; payload: string; signature: string }[] };
  'vonage sms sig': { secret: string; vectors: { params: Record<string, string>; hmac: string; sig: string }[] };
  mailgun: { key: string; timestamp: string; token: string; signature: string };
  'meta X-Hub-Signature-256': { app_secret: string; body: string; header: string };
}

interface TokenVector {
  name: string;
  method: string;
  secret: string;
  url: string;
  timestamp: string;
  payload?: string;
  token: string;
  valid: boolean;
}

const read = <Value>(file: string) => JSON.parse(readFileSync(path.join(FOLDER, file), 'utf8')) as Value;

// Where the folder is missing nothing is registered: a skipped test would count as a failure.
if (existsSync(VECTORS)) {
  const vectors = read<Vectors>('signature-vectors.json');

  it.each(vectors.sendgrid.vectors)(
    'verifies what SendGrid signed at $timestamp, and no other body',
    ({ publicKey, signature, timestamp, payload }) => {
      const headers = {
        'x-twilio-email-event-webhook-signature': signature,
        'x-twilio-email-event-webhook-timestamp': timestamp,
      };
      const proof = callbackProof({ webhook_public_key: publicKey }, { nowMs: Number(timestamp) * 1_000 });

      expect(sendgridCallback.verify(callbackRequest(payload, { headers }), proof)).toBeUndefined();
      expect(sendgridCallback.verify(callbackRequest(`${payload} `, { headers }), proof)).toBe('Its signature is wrong');
      const later = { ...proof, nowMs: proof.nowMs + 26 * 3_600_000 };
      expect(sendgridCallback.verify(callbackRequest(payload, { headers }), later)).toBe('Its time is more than 25 hours ago');
    },
  );

  it.each(vectors.twilio.form)('verifies a form that Twilio signed', ({ authToken, url, params, signature }) => {
    const request = callbackRequest(new URLSearchParams(params).toString(), { url, headers: { 'x-twilio-signature': signature } });

    expect(twilioCallback.verify(request, callbackProof({ auth_token: authToken }))).toBeUndefined();
    expect(twilioCallback.verify(request, callbackProof({ auth_token: 'other' }))).toBe('Its signature is wrong');
    const moved = { ...request, url: url.replace('https://', 'https://www.') };
    expect(twilioCallback.verify(moved, callbackProof({ auth_token: authToken }))).toBe('Its signature is wrong');
  });

  it.each(vectors.twilio.json)('verifies JSON that Twilio signed by its hash', ({ authToken, url, body, signature }) => {
    const headers = { 'x-twilio-signature': signature };
    const proof = callbackProof({ auth_token: authToken });

    expect(twilioCallback.verify(callbackRequest(body, { url, headers }), proof)).toBeUndefined();
    expect(twilioCallback.verify(callbackRequest(`${body} `, { url, headers }), proof)).toMatch(/another one/);
  });

  it.each(vectors['standard-webhooks (Svix, Resend)'].vectors)('verifies a standard webhook, as Resend sends them', (vector) => {
    const { secret, id, timestamp, payload, signature } = vector;
    const headers = { 'svix-id': id, 'svix-timestamp': timestamp, 'svix-signature': `v1,other ${signature}` };
    const proof = callbackProof({ webhook_secret: secret }, { nowMs: Number(timestamp) * 1_000 });

    expect(resendCallback.verify(callbackRequest(payload, { headers }), proof)).toBeUndefined();
    expect(resendCallback.verify(callbackRequest('{}', { headers }), proof)).toBe('Its signature is wrong');
  });

  it.each(vectors['vonage sms sig'].vectors)('verifies a receipt that Vonage signed by $hmac', ({ params, hmac, sig }) => {
    const { secret } = vectors['vonage sms sig'];
    const settings = { signature_secret: secret, signature_method: hmac };
    const request = callbackRequest(new URLSearchParams({ ...params, sig }).toString());
    const nowMs = Number(params.timestamp) * 1_000;

    expect(vonageCallback.verify(request, callbackProof(settings, { nowMs }))).toBeUndefined();
    const other = callbackProof({ ...settings, signature_secret: 'other' }, { nowMs });
    expect(vonageCallback.verify(request, other)).toBe('Its signature is wrong');
  });

  it('verifies what Mailgun signed', () => {
    const { key, timestamp, token, signature } = vectors.mailgun;
    const proof = callbackProof({ webhook_signing_key: key }, { nowMs: Number(timestamp) * 1_000 });
    const signed = (fields: object) => callbackRequest({ signature: { timestamp, token, signature, ...fields } });

    expect(mailgunCallback.verify(signed({}), proof)).toBeUndefined();
    expect(mailgunCallback.verify(signed({ token: 'other' }), proof)).toBe('Its signature is wrong');
  });

  it('verifies what Meta signed', () => {
    const { app_secret, body, header } = vectors['meta X-Hub-Signature-256'];
    const headers = { 'x-hub-signature-256': header };
    const proof = callbackProof({ app_secret });

    expect(whatsappCallback.verify(callbackRequest(body, { headers }), proof)).toBeUndefined();
    expect(whatsappCallback.verify(callbackRequest(`${body} `, { headers }), proof)).toBe('Its signature is wrong');
  });

  const tokens = read<TokenVector[]>('messagebird/signature_jwt.reference.json').filter(
    ({ method }) => method === 'GET' || method === 'POST',
  );
  it.each(tokens)('reads the token of MessageBird: $name, $valid', ({ method, secret, url, timestamp, payload = '', token, valid }) => {
    const request = callbackRequest(payload, {
      method: method as 'GET' | 'POST',
      url,
      headers: { 'messagebird-signature-jwt': token },
    });

    const refusal = messagebirdCallback.verify(request, callbackProof({ signing_key: secret }, { nowMs: Date.parse(timestamp) }));

    expect(refusal === undefined).toBe(valid);
  });
}

it('refuses what is not signed, and what cannot be verified', () => {
  const callbacks = [sendgridCallback, twilioCallback, resendCallback, vonageCallback, whatsappCallback, messagebirdCallback];

  for (const callback of callbacks) {
    const settings = Object.fromEntries(callback.settings.map((name) => [name, 'a-value']));
    expect(callback.verify(callbackRequest(), callbackProof(settings))).toBe('It is not signed');
    expect(callback.verify(callbackRequest(), callbackProof({}))).toBe(`settings.${callback.settings[0]} is not set`);
  }
});
