import { systemTimers, type Timer } from '@tidings/runtime/timers';

/** A start that is complete within this time reports nothing. */
export const SILENT_MS = 2_000;

/**
 * Reports the steps of a start that takes longer than `silentMs`: the one that is running by then, and each that follows. With 0, which
 * is for starts that always take long, it reports every step.
 */
export class StartProgress {
  private step = '';
  private isSlow: boolean;
  private readonly timer: Timer | undefined;

  constructor(
    private readonly report: (step: string) => void,
    silentMs = SILENT_MS,
    private readonly timers = systemTimers,
  ) {
    this.isSlow = silentMs === 0;
    if (this.isSlow) return;
    this.timer = timers.setTimeout(() => {
      this.isSlow = true;
      if (this.step) report(this.step);
    }, silentMs);
  }

  begin(step: string) {
    this.step = step;
    if (this.isSlow) this.report(step);
  }

  /** The start is complete or has failed. */
  end() {
    if (this.timer !== undefined) this.timers.clear(this.timer);
  }
}
