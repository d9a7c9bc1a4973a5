type Fields = Record<string, unknown>;

const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {});

/** The value at a path of names, as `colors.primary`. */
export function valueAt(settings: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => fieldsOf(value)[name], settings);
}

/** Settings with another value at a path; `undefined` removes it, and the objects that are empty without it. */
export function withValueAt(settings: unknown, path: string, value: unknown): Fields {
  const [name, ...rest] = path.split('.') as [string, ...string[]];
  const { [name]: earlier, ...others } = fieldsOf(settings);
  const next = rest.length === 0 ? value : emptyToUndefined(withValueAt(earlier, rest.join('.'), value));
  // The order of the names stays: settings are stored as they are put.
  if (next !== undefined) return { ...fieldsOf(settings), [name]: next };
  return others;
}

const emptyToUndefined = (fields: Fields) => (Object.keys(fields).length === 0 ? undefined : fields);

/** What an error says of the setting at a path; several are divided by semicolons. */
export function problemAt(error: unknown, path: string): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return error.message.split('; ').find((one) => [' ', ':'].some((end) => one.includes(`settings.${path}${end}`)));
}
