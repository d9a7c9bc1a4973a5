import type { Attempt, Outcome } from '@tidings/providers/provider';
import type { OpenProvider } from '@tidings/providers/provider-kind';
import type { Recipient } from '@tidings/providers/recipient';
import type { Rendered } from '@tidings/providers/rendered';

/**
 * The provider of one configuration, shared by all calls of the process: the first call opens it. Once retired, it is closed when no call
 * is open. A later call of a retired provider opens it again; it is closed after that call.
 */
export class SharedProvider {
  private provider: OpenProvider | undefined;
  private calls = 0;
  private retired = false;
  private closing = Promise.resolve();

  /** @param open must not fail. */
  constructor(private readonly open: () => OpenProvider) {}

  async send(rendered: Rendered, recipient: Recipient, attempt: Attempt): Promise<Outcome> {
    this.provider ??= this.open();
    this.calls += 1;
    try {
      return await this.provider.send(rendered, recipient, attempt);
    } finally {
      this.calls -= 1;
      if (this.retired) this.closeIfIdle();
    }
  }

  /** Closes the provider whenever it is idle from now on. Resolves when closing that has started by then is done. */
  retire(): Promise<void> {
    this.retired = true;
    this.closeIfIdle();
    return this.closing;
  }

  private closeIfIdle() {
    const { provider } = this;
    if (!provider || this.calls > 0) return;
    this.provider = undefined;
    this.closing = Promise.all([this.closing, provider.close()]).then(() => undefined);
  }
}
