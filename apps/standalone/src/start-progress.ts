import { systemTimers, type Timer } from '@tidings/runtime/timers';

/** A start that is complete within this time reports nothing. */
export const SILENT_MS = 2_000;

/** Reports the steps of a start that takes long: the one that is running by then, and each that follows. */
export class StartProgress {
  private step = '';
  private isSlow = false;
  private readonly timer: Timer;

  constructor(
    private readonly report: (step: string) => void,
    private readonly timers = systemTimers,
  ) {
    this.timer = timers.setTimeout(() => {
      this.isSlow = true;
      if (this.step) report(this.step);
    }, SILENT_MS);
  }

  begin(step: string) {
    this.step = step;
    if (this.isSlow) this.report(step);
  }

  /** The start is complete or has failed. */
  end() {
    this.timers.clear(this.timer);
  }
}
