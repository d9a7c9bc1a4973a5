/** A one-time latch. */
export interface Latch {
  /** Resolves when the latch opens. */
  readonly opened: Promise<void>;
  /** Opens the latch; idempotent. */
  readonly open: () => void;
}

/** Creates a closed latch. */
export function latch(): Latch {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}
