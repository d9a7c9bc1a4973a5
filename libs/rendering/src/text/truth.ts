/** Handlebars' truth: false, 0, '', null, missing values and empty lists are false. */
export function isFilled(value: unknown): boolean {
  return Boolean(value) && !(Array.isArray(value) && value.length === 0);
}
