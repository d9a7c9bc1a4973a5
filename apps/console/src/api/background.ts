const INPUTS = ['keydown', 'pointerdown', 'pointermove', 'wheel'] as const;
/** Requests so long after the last input are the page's own. */
const PRESENCE_MS = 60_000;

let lastInput = 0;

/** Begins to watch for input, as which the load of the page counts. */
export function watchInput(): void {
  const note = () => (lastInput = performance.now());
  for (const input of INPUTS) document.addEventListener(input, note, { capture: true, passive: true });
  note();
}

/** Whether what the page requests now is a refresh that it makes by itself: such requests do not keep the session alive. */
export function isBackground(): boolean {
  return performance.now() - lastInput > PRESENCE_MS;
}
