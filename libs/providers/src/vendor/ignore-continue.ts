import type { Socket } from 'node:net';

const END_OF_HEADERS = '\r\n\r\n';

/**
 * Drops every `100 Continue` that begins a piece of what the socket reads. A client must accept those that it did not ask for
 * (RFC 9110, section 15.2), but undici closes the connection, whose message may have been accepted.
 */
export function ignoreContinue(socket: Socket): void {
  const read = socket.read.bind(socket) as (size?: number) => Buffer | null;
  socket.read = (size?: number) => {
    let piece = read(size);
    while (piece && /^HTTP\/1\.[01] 100\b/.test(piece.toString('latin1', 0, 13))) {
      const end = piece.indexOf(END_OF_HEADERS);
      if (end < 0) break;
      piece = piece.subarray(end + END_OF_HEADERS.length);
      if (piece.length === 0) piece = read(size);
    }
    return piece;
  };
}
