import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve } from '../worker';

/** A request as the peer received it. */
export interface PeerRequest {
  path: string;
  headers: Record<string, string>;
  body: string;
}

/** An answer to every request. */
export interface PeerAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

export type VendorPeerCommands = {
  listen(_: null): Promise<{ port: number }>;
  answer(answer: PeerAnswer): void;
  /** The last request, without the headers that HTTP itself needs. */
  last(_: null): PeerRequest;
};

let answer: PeerAnswer = { status: 200, headers: {}, body: '' };
let last: PeerRequest = { path: '', headers: {}, body: '' };

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { host: _host, connection: _connection, 'content-length': _length, ...headers } = request.headers as Record<string, string>;
    last = { path: request.url ?? '', headers, body: Buffer.concat(chunks).toString() };
    response.writeHead(answer.status, answer.headers).end(answer.body);
  });
});

serve<VendorPeerCommands>(
  {
    listen: async () => {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      return { port: (server.address() as AddressInfo).port };
    },
    answer: (given) => void (answer = given),
    last: () => last,
  },
  () => server.closeAllConnections(),
);
