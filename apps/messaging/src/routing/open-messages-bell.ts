import { Injectable } from '@nestjs/common';

/** Tells whoever takes up open messages in this process that some are due. */
@Injectable()
export class OpenMessagesBell {
  private listener: ((delayMs: number) => void) | undefined;

  listen(listener: (delayMs: number) => void): void {
    this.listener = listener;
  }

  /** Something in the table is due in `delayMs` ms. */
  wakeIn(delayMs: number): void {
    this.listener?.(delayMs);
  }
}
