/** The first of the available content encodings that a request accepts. @param accepted its `Accept-Encoding` */
export function encodingFor(available: Iterable<string>, accepted = '') {
  const refused = /;\s*q=0(?:\.0*)?$/;
  const names = accepted
    .split(',')
    .map((one) => one.trim())
    .filter((one) => !refused.test(one))
    .map((one) => one.split(';', 1)[0]!.trim().toLowerCase());
  return [...available].find((encoding) => names.includes(encoding));
}
