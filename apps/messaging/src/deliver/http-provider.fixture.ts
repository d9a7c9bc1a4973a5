import { randomUUID } from 'node:crypto';
import { type Provider, providers } from '@tidings/contracts/messaging/providers';
import type { RunningService } from '@tidings/runtime/service';
import { CapturingHttp } from '@tidings/testing/capturing-http';
import { waitUntil } from '@tidings/testing/wait-until';
import { Messaging } from '../testing/start-messaging';

export const SETTINGS = { channel: 'sms', secret: 'a secret of some length' };

/** Two instances of messaging, and a provider that calls an HTTP receiver. */
export class HttpProviderFixture {
  messaging!: Messaging;
  replica!: RunningService;
  receiver!: CapturingHttp;
  provider!: Provider;

  /** Registers the hooks that start the instances for a file, and a receiver with its provider for each test. */
  static use(): HttpProviderFixture {
    const fixture = new HttpProviderFixture();
    beforeAll(async () => {
      fixture.messaging = await Messaging.create();
      await fixture.start();
    });
    afterAll(async () => {
      await fixture.replica.stop();
      await fixture.messaging.end();
    });
    beforeEach(async () => {
      fixture.receiver = await CapturingHttp.start();
      fixture.provider = await fixture.configure(fixture.receiver);
    });
    afterEach(() => fixture.receiver.stop());
    return fixture;
  }

  async restart(): Promise<void> {
    await this.replica.stop();
    await this.messaging.stop();
    await this.start();
  }

  configure({ url }: CapturingHttp): Promise<Provider> {
    return this.messaging.call(providers.create, { provider: 'http', alias: `sms-${randomUUID()}`, settings: { ...SETTINGS, url } });
  }

  /** Waits less than the interval at which the release of another process is continued. */
  async allSent(ids: readonly string[]): Promise<void> {
    const areSent = async (): Promise<boolean> =>
      (await Promise.all(ids.map((id) => this.messaging.statusOf(id)))).every((status) => status === 'SENT');
    await waitUntil(areSent, { what: 'all messages to be sent', timeoutMs: 20_000 });
  }

  private async start() {
    await this.messaging.start();
    this.replica = await this.messaging.replica();
  }
}
