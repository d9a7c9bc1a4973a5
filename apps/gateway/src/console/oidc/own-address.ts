const CONSOLE = '/console';
/** Operations: no pages. */
const OPERATIONS = '/console/api/';
/** Encoded it may be longer than it was given: the cookie of the sign-in has room for so much. */
const LENGTH_MAX = 2_000;
/** Any origin: what is left of it shows that an address names another. */
const ORIGIN = 'http://own';

/** An address of the console as a page may give it, without its fragment; the console's first page for any other address. */
export function ownAddress(given: string | null | undefined): string {
  if (!given?.startsWith('/') || !URL.canParse(given, ORIGIN)) return CONSOLE;
  const { origin, pathname, search } = new URL(given, ORIGIN);
  const isOwn = origin === ORIGIN && (pathname === CONSOLE || pathname.startsWith(`${CONSOLE}/`)) && !pathname.startsWith(OPERATIONS);
  const address = pathname + search;
  return isOwn && address.length <= LENGTH_MAX ? address : CONSOLE;
}
