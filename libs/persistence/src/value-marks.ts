/** How JSON text has a text as a value; a name of a field is none. `strpos` finds them without parsing. */
export function valueMarks(text: string): string[] {
  return endedBy(JSON.stringify(text));
}

/** The same in a JSON document that is itself a text in a JSON document. */
export function nestedValueMarks(text: string): string[] {
  return endedBy(JSON.stringify(JSON.stringify(text)).slice(1, -1));
}

const endedBy = (value: string) => [',', '}', ']'].map((next) => value + next);
