import type { Socket } from 'node:net';
import type { Server } from 'node:http';
import { wireError } from '@tidings/contracts/core/errors';
import { errorBody, JSON_TYPE } from './answers';

interface ParsingSocket extends Socket {
  /** The response that Node is writing to this socket, if any. */
  _httpMessage?: { _headerSent?: boolean } | null;
}

const { type } = wireError('invalid_request');

/** Status line and message, by Node's code of the error. */
const REFUSALS: Readonly<Record<string, [status: string, message: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not arrive in time'],
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The request line and headers are longer than 16 KB'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['413 Payload Too Large', 'The chunk extensions are too long'],
};

/** Answers bytes that are no valid HTTP request with the common error body, then closes the connection. */
export function answerClientError(error: Error & { code?: string }, socket: ParsingSocket) {
  const responding = socket._httpMessage?._headerSent === true;
  if (error.code === 'ECONNRESET' || !socket.writable || responding) {
    socket.destroy();
    return;
  }
  const [status, message] = REFUSALS[error.code ?? ''] ?? ['400 Bad Request', 'This is not a valid HTTP request'];
  const body = errorBody(message, type);
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: ${JSON_TYPE}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    () => socket.destroy(),
  );
}

/** Answers an unknown `Expect` with the common error body; Node would answer an empty 417. */
export function answerUnknownExpectation(server: Server) {
  server.on('checkExpectation', (_request, response) => {
    const body = errorBody('The expectation in the Expect header cannot be met', type);
    response.writeHead(417, { 'content-type': JSON_TYPE, 'content-length': Buffer.byteLength(body) });
    response.end(body);
  });
}
