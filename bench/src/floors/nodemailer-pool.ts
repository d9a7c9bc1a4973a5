import { type Socket, connect } from 'node:net';
import nodemailer from 'nodemailer';
import { MAIL_HTML, MAIL_TEXT, markOf } from '../send-request';
import { serve } from '../worker';
import { type MailResult, type MailRun, runMails } from './mail-run';

export interface PoolRun extends MailRun {
  /** Gives nodemailer sockets with TCP_NODELAY instead of its own. */
  noDelay: boolean;
}

export type NodemailerCommands = { send(run: PoolRun): Promise<MailResult> };

/** A pool of nodemailer's with nothing around it: one mail with text and HTML after another on kept connections. */
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

type GiveSocket = (error: Error | null, socket?: { connection: Socket }) => void;

function noDelaySocket(port: number): (options: unknown, give: GiveSocket) => void {
  return (_, give) => {
    const socket = connect({ host: '127.0.0.1', port, noDelay: true });
    socket.once('error', give);
    socket.once('connect', () => {
      socket.removeListener('error', give);
      give(null, { connection: socket });
    });
  };
}

serve<NodemailerCommands>({ send });
