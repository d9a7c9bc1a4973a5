/**
 * `compute`, asked once per text: the `entriesMax` texts asked for last keep their answers. For pure functions that are
 * called with few different texts, and may be called with any.
 */
export function remembered<T>(entriesMax: number, compute: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    let answer = known.get(text);
    if (answer === undefined && !known.has(text)) answer = compute(text);
    else known.delete(text); // to be the youngest again: a flood of other texts leaves those in use where they are
    known.set(text, answer as T);
    if (known.size > entriesMax) known.delete(known.keys().next().value!);
    return answer as T;
  };
}
