/** Handlebars' truth: false, 0, '', null, what is missing and empty lists are not true. */
export function isFilled(value: unknown): boolean {
  return Boolean(value) && !(Array.isArray(value) && value.length === 0);
}
