import { Injectable } from '@nestjs/common';
import type { EmailRecipient, RenderedEmail } from '@tidings/providers/email';
import type { Provider } from '@tidings/providers/provider';

export type EmailProvider = Provider<RenderedEmail, EmailRecipient>;

/** The providers this process can call. */
@Injectable()
export class Providers {
  private readonly byKey: ReadonlyMap<string, EmailProvider>;

  constructor(providers: readonly EmailProvider[]) {
    this.byKey = new Map(providers.map((provider) => [provider.key, provider]));
  }

  get(key: string): EmailProvider | undefined {
    return this.byKey.get(key);
  }

  /** The provider that a channel tries first. */
  firstOf(channel: string): EmailProvider | undefined {
    return [...this.byKey.values()].find((provider) => provider.channel === channel);
  }

  async close(): Promise<void> {
    await Promise.all([...this.byKey.values()].map((provider) => provider.close()));
  }
}
