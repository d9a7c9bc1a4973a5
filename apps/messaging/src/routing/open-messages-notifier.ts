import { Injectable } from '@nestjs/common';

/** Notifies the runner of open messages in this process that some are due. */
@Injectable()
export class OpenMessagesNotifier {
  private listener: ((delayMs: number) => void) | undefined;

  listen(listener: (delayMs: number) => void): void {
    this.listener = listener;
  }

  /** Notifies that an open message is due in `delayMs` ms. */
  notifyDueIn(delayMs: number): void {
    this.listener?.(delayMs);
  }
}
