/** Something that happens once, and whoever waits for it. */
export interface Gate {
  readonly passed: Promise<void>;
  /** It happens now; again is nothing. */
  readonly open: () => void;
}

export function gate(): Gate {
  let open: () => void = () => undefined;
  const passed = new Promise<void>((resolve) => (open = resolve));
  return { passed, open };
}
