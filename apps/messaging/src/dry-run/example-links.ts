import { EXAMPLE_URLS } from '@tidings/rendering/message-input';
import { RecipientLinks, type RecipientUrls } from '@tidings/runtime/recipient-links';

/** Links that change nothing, where the installation makes links. */
export class ExampleLinks extends RecipientLinks {
  constructor(private readonly real: RecipientLinks) {
    super();
  }

  override get missing(): string | undefined {
    return this.real.missing;
  }

  override get areSecure(): boolean {
    return this.real.areSecure;
  }

  override urlsOf(): RecipientUrls | undefined {
    return this.missing === undefined ? EXAMPLE_URLS : undefined;
  }
}
