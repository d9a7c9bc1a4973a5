import { Injectable } from '@nestjs/common';
import type { EmailRecipient, RenderedEmail } from '@tidings/providers/email';
import type { Provider } from '@tidings/providers/provider';

export type EmailProvider = Provider<RenderedEmail, EmailRecipient>;

/** The providers this process can call. */
@Injectable()
export class Providers {
  constructor(private readonly providers: readonly EmailProvider[]) {}

  async close(): Promise<void> {
    await Promise.all(this.providers.map((provider) => provider.close()));
  }
}
