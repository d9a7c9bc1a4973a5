/** A one-time latch. */
export interface Gate {
  /** Resolves when the latch opens. */
  readonly passed: Promise<void>;
  /** Opens the latch; idempotent. */
  readonly open: () => void;
}

/** Creates a closed latch. */
export function gate(): Gate {
  let open: () => void = () => undefined;
  const passed = new Promise<void>((resolve) => (open = resolve));
  return { passed, open };
}
