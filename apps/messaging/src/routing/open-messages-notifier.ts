import { Injectable } from '@nestjs/common';

/** Tells whoever takes up open messages in this process that some are due. */
@Injectable()
export class OpenMessagesNotifier {
  private listener: ((delayMs: number) => void) | undefined;

  listen(listener: (delayMs: number) => void): void {
    this.listener = listener;
  }

  /** Something in the table is due in `delayMs` ms. */
  notifyDueIn(delayMs: number): void {
    this.listener?.(delayMs);
  }
}
