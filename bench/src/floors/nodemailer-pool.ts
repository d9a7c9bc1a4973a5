import { type Socket, connect } from 'node:net';
import nodemailer from 'nodemailer';
import { MAIL_HTML, MAIL_TEXT, markOf } from '../send-request';
import { serve } from '../worker';
import { type MailResult, type MailRun, runMails } from './mail-run';

export interface PoolRun extends MailRun {
  /** Passes sockets with TCP_NODELAY to nodemailer. */
  noDelay: boolean;
}

export type NodemailerCommands = { send(run: PoolRun): Promise<MailResult> };

/** A nodemailer pool alone: mails with text and HTML, one after the other on kept-alive connections. */
async function send(run: PoolRun): Promise<MailResult> {
  const pool = nodemailer.createTransport({
    pool: true,
    host: '127.0.0.1',
    port: run.port,
    secure: false,
    ignoreTLS: true,
    maxConnections: run.connections,
    maxMessages: Infinity,
    ...(run.noDelay && { getSocket: noDelaySocket(run.port) }),
  });
  try {
    return await runMails(run, async (number) => {
      await pool.sendMail({
        from: 'bench@example.org',
        to: `user-${number}@example.com`,
        subject: `Your order is on its way ${markOf(run.run, number)}`,
        text: MAIL_TEXT,
        html: MAIL_HTML,
      });
    });
  } finally {
    pool.close();
  }
}

type SocketCallback = (error: Error | null, socket?: { connection: Socket }) => void;

function noDelaySocket(port: number): (options: unknown, callback: SocketCallback) => void {
  return (_, callback) => {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true });
    socket.once('error', callback);
    socket.once('connect', () => {
      socket.removeListener('error', callback);
      callback(null, { connection: socket });
    });
  };
}

serve<NodemailerCommands>({ send });
