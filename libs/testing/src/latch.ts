/** A one-time latch. */
export interface Gate {
  /** Resolves when the latch opens. */
  readonly opened: Promise<void>;
  /** Opens the latch; idempotent. */
  readonly open: () => void;
}

/** Creates a closed latch. */
export function latch(): Gate {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}
