import { connect as connectTcp, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { ISocketFactory } from 'kafkajs';
import type { KafkaSettings } from './settings';
import { TlsFiles } from './tls-files';

/** As kafkajs' own sockets. */
const KEEP_ALIVE_MS = 60_000;

/** Makes kafkajs' connections: over TLS each with the certificates that the files have then. @throws as `TlsFiles.context` */
export function socketFactory(tls: KafkaSettings['tls']): ISocketFactory {
  const files = tls && new TlsFiles(tls);
  files?.context(); // fails here rather than at each connection
  return ({ host, port, onConnect }) => {
    const socket = files
      ? connectTls({ host, port, servername: isIP(host) ? undefined : host, secureContext: files.context() }, onConnect)
      : connectTcp({ host, port }, onConnect);
    return socket.setKeepAlive(true, KEEP_ALIVE_MS);
  };
}
