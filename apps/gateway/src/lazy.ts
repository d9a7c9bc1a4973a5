/** The value that `make` returns, made by the first call. */
export function lazy<T extends object | string>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
