import { useEffect, useState } from 'react';

/** Without a change for so long, a value counts. */
export const SETTLED_MS = 400;

/** A value when it has not changed for a moment; until then the one before. */
export function useSettled<Value>(value: Value): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
