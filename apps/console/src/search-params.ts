/** The text fields of an address, without the empty ones: `validateSearch` of a route. */
export function textFields<Name extends string>(...names: Name[]): (search: Record<string, unknown>) => Partial<Record<Name, string>> {
  return (search) => {
    const entries = names.flatMap((name) => {
      const value = search[name];
      return typeof value === 'string' && value !== '' ? [[name, value]] : [];
    });
    return Object.fromEntries(entries) as Partial<Record<Name, string>>;
  };
}

/** The fields of an address, all of them text: an id that consists of digits is none the less an id. */
export function parseSearch(text: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(text));
}

export function writeSearch(search: Record<string, unknown>): string {
  const fields = Object.entries(search).filter((field): field is [string, string] => typeof field[1] === 'string' && field[1] !== '');
  const text = new URLSearchParams(fields).toString();
  return text && `?${text}`;
}
