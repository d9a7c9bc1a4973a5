import type { Attempt, Outcome } from '@tidings/providers/provider';
import type { OpenProvider } from '@tidings/providers/provider-kind';
import type { Recipient } from '@tidings/providers/recipient';
import type { Rendered } from '@tidings/providers/rendered';

/**
 * One configuration's provider, shared by every call of the process: opened by the first of them. Once it rests, it is closed as soon as
 * nobody calls it; who still holds it may call it even then, and it is closed again behind them.
 */
export class SharedProvider {
  private provider: OpenProvider | undefined;
  private calls = 0;
  private resting = false;
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
      if (this.resting) this.closeIfIdle();
    }
  }

  /** To be closed when idle, from now on. Resolves when what is closed by then has closed. */
  rest(): Promise<void> {
    this.resting = true;
    this.closeIfIdle();
    return this.closing;
  }

  private closeIfIdle(): void {
    const { provider } = this;
    if (!provider || this.calls > 0) return;
    this.provider = undefined;
    this.closing = Promise.all([this.closing, provider.close()]).then(() => undefined);
  }
}
