import { createHmac } from 'node:crypto';
import { courierSignature, newWebhookSecret, standardHeaders } from './signature';

// The vector of the reference libraries of Standard Webhooks.
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const ID = 'msg_p5jXN8AQM9LWM0D4loKWxJek';
const BODY = '{"test": 2432232314}';
const SIGNED_AT_MS = 1_614_265_330_000;
const SIGNATURE = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';

describe('headers of Standard Webhooks', () => {
  it('are those of the reference libraries', () => {
    expect(standardHeaders([SECRET], ID, BODY, SIGNED_AT_MS + 999)).toEqual({
      'webhook-id': ID,
      'webhook-timestamp': '1614265330',
      'webhook-signature': SIGNATURE,
    });
  });

  it('have a signature for each secret', () => {
    const other = newWebhookSecret();
    const { 'webhook-signature': both } = standardHeaders([other, SECRET], ID, BODY, SIGNED_AT_MS);
    const { 'webhook-signature': first } = standardHeaders([other], ID, BODY, SIGNED_AT_MS);
    expect(both).toBe(`${first} ${SIGNATURE}`);
  });

  it('depend on every part', () => {
    const { 'webhook-signature': signature } = standardHeaders([SECRET], ID, BODY, SIGNED_AT_MS);
    const others = [
      standardHeaders([SECRET], `${ID}x`, BODY, SIGNED_AT_MS),
      standardHeaders([SECRET], ID, `${BODY} `, SIGNED_AT_MS),
      standardHeaders([SECRET], ID, BODY, SIGNED_AT_MS + 1_000),
    ];
    expect(others.map((headers) => headers['webhook-signature'])).not.toContain(signature);
  });

  it('have secrets of 32 random bytes', () => {
    const secrets = [newWebhookSecret(), newWebhookSecret()];
    expect(secrets[0]).not.toBe(secrets[1]);
    for (const secret of secrets) expect(Buffer.from(secret.replace(/^whsec_/, ''), 'base64')).toHaveLength(32);
  });
});

describe('courier-signature', () => {
  const hex = (secret: string) => createHmac('sha256', secret).update(`5.${BODY}`).digest('hex');

  it('has the time and the signature of time and body', () => {
    expect(courierSignature(['one'], BODY, 5)).toBe(`t=5,signature=${hex('one')}`);
  });

  it('has a signature for each secret', () => {
    expect(courierSignature(['one', 'two'], BODY, 5)).toBe(`t=5,signature=${hex('one')},signature=${hex('two')}`);
  });
});
