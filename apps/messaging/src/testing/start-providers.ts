import type { CallContext } from '@tidings/contracts/core/context';
import { parseNetwork } from '@tidings/contracts/core/network';
import { type Provider, providers } from '@tidings/contracts/messaging/providers';
import { AddressGuard } from '@tidings/providers/http/guard/address-guard';
import { SmtpProvider } from '@tidings/providers/smtp/smtp-provider';
import { parseSmtpUrl } from '@tidings/providers/smtp/smtp-settings';
import { LocalTransport } from '@tidings/rpc/local-transport';
import { type RunningService, type ServiceResources, startService } from '@tidings/runtime/service';
import { startTestService, type TestService } from '@tidings/testing/service';
import { MessagingModule, type MessagingResources } from '../messaging.module';

/** No server listens there: the default provider of specs that do not send with it. */
const NOWHERE = 'smtp://127.0.0.1:1?from=shop@example.com';

/** A messaging service whose providers may reach this machine. */
export class ProvidersUnderTest {
  private constructor(
    readonly service: TestService,
    private readonly resources: ServiceResources,
  ) {}

  static async start(options: Options = {}): Promise<ProvidersUnderTest> {
    let used: ServiceResources | undefined;
    const service = await startTestService('messaging', (resources) => moduleOf((used = resources), options));
    return new ProvidersUnderTest(service, used!);
  }

  /** Another process on the same database and log, with its own calls. */
  async replica(options: Options = {}): Promise<RunningService & Pick<TestService, 'call'>> {
    const transport = new LocalTransport();
    const service = await startService('messaging', moduleOf(this.resources, options), transport);
    const client = transport.client();
    const call: TestService['call'] = (operation, context, request) => client.call(operation, context, request);
    return Object.assign(service, { call });
  }

  /** Configures an SMS endpoint; `fields` replace the defaults. */
  configure(context: CallContext, fields: Partial<Provider> = {}): Promise<Provider> {
    return this.service.call(providers.create, context, { provider: 'http', settings: SMS_SETTINGS, ...fields });
  }
}

export const SECRET = 'a secret that no answer may show';
export const SMS_SETTINGS = { channel: 'sms', url: 'https://sms.example.com/send', secret: SECRET };

/** `smtpUrl`: of the default provider. */
type Options = Pick<MessagingResources, 'secretKeys' | 'publicUrl'> & { smtpUrl?: string };

function moduleOf(resources: ServiceResources, { smtpUrl = NOWHERE, ...options }: Options) {
  return MessagingModule.register({
    ...resources,
    ...options,
    openProviders: () => [new SmtpProvider(parseSmtpUrl(smtpUrl))],
    guard: new AddressGuard({ allowed: [parseNetwork('127.0.0.0/8')!] }),
  });
}
