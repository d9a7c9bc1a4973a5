import { createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { serve } from '../worker';

const STREAMS_MAX = 1_000;

export type Http2PeerCommands = {
  /** Accepts every request with the id of a message and no body. */
  listen(_: null): Promise<{ port: number }>;
};

const server = createServer({ settings: { maxConcurrentStreams: STREAMS_MAX } });
server.on('stream', (stream) => {
  stream.on('error', () => undefined);
  stream.on('data', () => undefined);
  stream.on('end', () => stream.respond({ ':status': 200, 'apns-id': 'a0000000-0000-8000-a000-000000000000' }, { endStream: true }));
});

serve<Http2PeerCommands>(
  {
    listen: async () => {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      return { port: (server.address() as AddressInfo).port };
    },
  },
  () => void server.close(),
);
