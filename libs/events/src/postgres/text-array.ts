const HEADER_BYTES = 20;
const TEXT_OID = 25;
const NULL_LENGTH = -1;

/**
 * A `text[]` in PostgreSQL's binary format, which the driver passes on unchanged. The text format would need every quote of
 * every JSON text escaped here and unescaped in the server.
 */
export function textArray(values: readonly (string | null)[]): Buffer {
  let size = HEADER_BYTES + 4 * values.length;
  for (const value of values) if (value !== null) size += Buffer.byteLength(value);
  const buffer = Buffer.allocUnsafe(size);
  buffer.writeInt32BE(values.length === 0 ? 0 : 1, 0); // dimensions
  buffer.writeInt32BE(values.includes(null) ? 1 : 0, 4);
  buffer.writeInt32BE(TEXT_OID, 8);
  if (values.length === 0) return buffer.subarray(0, 12);
  buffer.writeInt32BE(values.length, 12);
  buffer.writeInt32BE(1, 16); // lower bound
  let at = HEADER_BYTES;
  for (const value of values) {
    const length = value === null ? NULL_LENGTH : buffer.write(value, at + 4);
    buffer.writeInt32BE(length, at);
    at += 4 + Math.max(0, length);
  }
  return buffer;
}
