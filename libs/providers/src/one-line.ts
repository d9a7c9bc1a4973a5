// eslint-disable-next-line no-control-regex -- it matches the control characters to remove
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f]+/g;

/** Free text on one line. */
export function oneLine(text: string): string {
  const line = text.replace(CONTROL_CHARACTERS, ' ');
  return line === text ? text : line.trim();
}
