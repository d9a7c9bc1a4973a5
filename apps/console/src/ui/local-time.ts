/** An instant as a field of the kind `datetime-local` has it. */
export function localTime(instant: string | undefined): string | undefined {
  const ms = instant === undefined ? NaN : /^\d+$/.test(instant) ? Number(instant) : Date.parse(instant);
  if (Number.isNaN(ms)) return undefined;
  return new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** The instant of a field of the kind `datetime-local`, in ISO 8601. */
export function instantOf(local: string | undefined): string | undefined {
  return local === undefined ? undefined : new Date(local).toISOString();
}
