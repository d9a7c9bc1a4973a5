import { useEffect, useState } from 'react';

/** Below it the reader is at the top of the list. */
const SCROLLED_PX = 120;

/** The rows from the one on that was the first when the reader scrolled down, and how many new ones wait above it. */
export function useSteadyRows<Row extends { id: string }>(all: readonly Row[]): { rows: readonly Row[]; waiting: number } {
  const [top, setTop] = useState<string>();
  const first = all[0]?.id;
  useEffect(() => {
    const scrolled = () => setTop((current) => (scrollY > SCROLLED_PX ? (current ?? first) : undefined));
    addEventListener('scroll', scrolled, { passive: true });
    return () => removeEventListener('scroll', scrolled);
  }, [first]);
  const waiting = Math.max(0, top === undefined ? 0 : all.findIndex(({ id }) => id === top));
  return { rows: all.slice(waiting), waiting };
}
