/**
 * The policy of content written for a mail: in a browser its scripts do not run, and nothing is loaded, unless the viewer wants images.
 * @param sandbox by default the document also has no origin, so that no page can write into it.
 */
export function outputPolicy(loadsImages: boolean, sandbox: 'sandbox' | 'sandbox allow-same-origin' = 'sandbox'): string {
  return `${sandbox}; default-src 'none'; style-src 'unsafe-inline'; img-src ${loadsImages ? 'https: ' : ''}data:; frame-ancestors 'self'`;
}
