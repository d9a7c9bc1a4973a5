/** A curl line for this gateway. The key is a variable of the shell, `key`: the console does not have it. */
export function curl(method: string, path: string, body?: object | string, key = 'TIDINGS_API_KEY'): string {
  const parts = [`curl -X ${method} ${location.origin}${path}`, `-H "Authorization: Bearer $${key}"`];
  if (body !== undefined) parts.push(`-H 'Content-Type: application/json'`, `-d ${shellQuoted(JSON.stringify(body))}`);
  return parts.join(' \\\n  ');
}

/** A text as one word of a shell. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
