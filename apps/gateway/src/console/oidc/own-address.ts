const CONSOLE = '/console';
/** Operations: no pages. */
const OPERATIONS = '/console/api/';
/** Any origin: what is left of it shows that an address names another. */
const ORIGIN = 'http://own';

/** An address of the console as a page may give it, without its fragment; the console's first page for any other address. */
export function ownAddress(given: string | null | undefined): string {
  if (!given?.startsWith('/') || !URL.canParse(given, ORIGIN)) return CONSOLE;
  const { origin, pathname, search } = new URL(given, ORIGIN);
  const isOwn = origin === ORIGIN && (pathname === CONSOLE || pathname.startsWith(`${CONSOLE}/`)) && !pathname.startsWith(OPERATIONS);
  return isOwn ? pathname + search : CONSOLE;
}
