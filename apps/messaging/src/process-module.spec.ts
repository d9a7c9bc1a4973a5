import '@tidings/testing/quiet';
import { generateKeyPairSync } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { Messaging } from './testing/start-messaging';
import { operatorsSmtp, processModule } from './process-module';
import { DEFAULT_INTEGRATION_ID, ProviderConfigurations } from './providers/provider-configurations';

const DAY_MS = 86_400_000;
const MAIL = { kind: 'email', email: { subject: 'Hello', html: '<p>Hello</p>', text: 'Hello' } } as const;

it('opens new providers for each start, also after an earlier start ended', async () => {
  const messaging = await Messaging.create();
  try {
    await messaging.start();
    const times = { messageRetentionMs: 365 * DAY_MS, historyRetentionMs: 90 * DAY_MS };
    const dkim = { domain: 'example.com', selector: 'one', privateKey: generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey };
    const register = processModule({
      smtpUrl: messaging.smtp.url,
      dkim,
      senderDomains: undefined,
      bounceLimits: { bounces: undefined, complaints: undefined },
      secretKeys: [],
      allowedNetworks: [],
      ...times,
    });
    await (await messaging.replica({ register })).stop();

    const second = await messaging.replica({ register });
    try {
      const mail = await second.get(ProviderConfigurations).find(messaging.workspaceId, DEFAULT_INTEGRATION_ID);
      const attempt = { messageId: 'm', idempotencyKey: 'm.0', number: 1, renderedAt: new Date() };
      const ada = { channel: 'email', email: 'ada@example.com' } as const;
      const outcome = await mail!.withProvider((provider) => provider.send(MAIL, ada, attempt));
      expect(outcome).toMatchObject({ kind: 'accepted' });
      expect(messaging.smtp.mailsTo('ada@example.com')[0]!.raw.toString()).toMatch(/^DKIM-Signature: /);
    } finally {
      await second.stop();
    }
  } finally {
    await messaging.end();
  }
});

const LIMITED = { senderDomains: ['example.com'] };

it('warns where TIDINGS_SMTP_URL names no sender', () => {
  const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();

  operatorsSmtp('smtp://mail.example.com?from=shop@example.com', LIMITED);
  expect(warn).not.toHaveBeenCalled();
  operatorsSmtp('smtp://shop%40example.com:secret@mail.example.com', LIMITED);

  expect(warn.mock.calls).toEqual([
    [
      'TIDINGS_SMTP_URL names no sender: mails without one are sent as shop@example.com, and smtp providers require from_address; add ?from=…',
    ],
  ]);
  warn.mockRestore();
});

it('warns where TIDINGS_SENDER_DOMAINS is not set, except for mails that do not leave the machine', () => {
  const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();

  operatorsSmtp('smtp://127.0.0.1:1025?from=tidings@tidings.localhost');
  expect(warn).not.toHaveBeenCalled();
  operatorsSmtp('smtp://mail.example.com?from=shop@example.com');

  expect(warn.mock.calls).toEqual([
    [expect.stringMatching(/^TIDINGS_SENDER_DOMAINS is not set: every workspace may send from any domain/)],
  ]);
  warn.mockRestore();
});
