import type { JsonObject } from '@tidings/contracts/core/deep-merge';
import { errorOf, jsonOf } from './classify';
import type { HttpAnswer } from './http-call';
import { retryAfterMs } from './retry-after';
import type { Vendor, VendorAnswer } from './vendor';

/** An answer as a vendor's definition reads it. What a message that was accepted does not need is made only when it is read. */
export class ReceivedAnswer implements VendorAnswer {
  readonly status = this.answer.status;
  readonly headers = this.answer.headers;
  readonly body = this.answer.body;
  private parsed?: JsonObject;

  constructor(
    private readonly answer: HttpAnswer,
    private readonly vendor: Pick<Vendor<never, never>, 'title' | 'words'>,
    readonly nowMs: number,
  ) {}

  get json(): JsonObject {
    return (this.parsed ??= jsonOf(this.body));
  }

  get error(): string {
    const { title, words } = this.vendor;
    return errorOf(title, this.status, [words?.(this.json, this.body), this.body]);
  }

  get retryAfterMs(): number | undefined {
    return retryAfterMs(this.headers['retry-after'], this.nowMs);
  }
}
