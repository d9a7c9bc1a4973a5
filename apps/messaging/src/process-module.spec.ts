import '@tidings/testing/quiet';
import { Messaging } from './testing/start-messaging';
import { processModule } from './process-module';
import { DEFAULT_INTEGRATION_ID, ProviderConfigurations } from './providers/provider-configurations';

const DAY_MS = 86_400_000;
const MAIL = { kind: 'email', email: { subject: 'Hello', html: '<p>Hello</p>', text: 'Hello' } } as const;

it('opens new providers for each start, also after an earlier start ended', async () => {
  const messaging = await Messaging.create();
  try {
    await messaging.start();
    const times = { messageRetentionMs: 365 * DAY_MS, historyRetentionMs: 90 * DAY_MS };
    const register = processModule({ smtpUrl: messaging.smtp.url, secretKeys: [], allowedNetworks: [], ...times });
    await (await messaging.replica({ register })).stop();

    const second = await messaging.replica({ register });
    try {
      const mail = await second.get(ProviderConfigurations).find(messaging.workspaceId, DEFAULT_INTEGRATION_ID);
      const attempt = { messageId: 'm', idempotencyKey: 'm.0', number: 1, renderedAt: new Date() };
      const ada = { channel: 'email', email: 'ada@example.com' } as const;
      const outcome = await mail!.withProvider((provider) => provider.send(MAIL, ada, attempt));
      expect(outcome).toMatchObject({ kind: 'accepted' });
    } finally {
      await second.stop();
    }
  } finally {
    await messaging.end();
  }
});
