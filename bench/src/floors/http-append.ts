import type { EventLog } from '@tidings/events/event-log';
import { type IncomingMessage, type Server, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connectLog, type LogTarget, messageRequested, type SendLike, toRequested } from '../bench-log';
import { serve } from '../worker';

export type HttpAppendCommands = {
  listen(target: LogTarget): Promise<{ port: number }>;
};

let log: EventLog | undefined;
let server: Server | undefined;

/** The minimal server that answers 202 when the send is durable: Node's own HTTP, `JSON.parse`, the same append queue. */
async function listen(target: LogTarget): Promise<{ port: number }> {
  const connected = await connectLog(target, 'bench-http-append');
  log = connected;
  const listening = createServer((request, response) => accept(connected, request, response));
  server = listening;
  await new Promise<void>((resolve, reject) => {
    listening.once('error', reject);
    listening.listen(0, '127.0.0.1', resolve);
  });
  return { port: (listening.address() as AddressInfo).port };
}

function accept(connected: EventLog, request: IncomingMessage, response: ServerResponse): void {
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  request.on('end', () => {
    const requested = toRequested(JSON.parse(Buffer.concat(pieces).toString()) as SendLike);
    connected.append(messageRequested, [requested]).then(
      () => answer(response, 202, { requestId: requested.id }),
      (error: unknown) => answer(response, 503, { message: String(error) }),
    );
  });
}

function answer(response: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body);
  response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': Buffer.byteLength(text) }).end(text);
}

serve<HttpAppendCommands>({ listen }, async () => {
  server?.closeAllConnections();
  server?.close();
  await log?.close();
});
