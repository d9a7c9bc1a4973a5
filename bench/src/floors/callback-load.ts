import { sign } from 'node:crypto';
import { newMessageId } from '@tidings/contracts/messaging/message-id';
import { monotonicMs } from '../clock';
import { HttpConnection } from '../http-connection';
import { httpRequest } from '../send-request';
import { serve } from '../worker';

export interface CallbackRun {
  port: number;
  run: number;
  callbacks: number;
  connections: number;
  /** Signs as SendGrid does: PKCS#8 in PEM. */
  privateKey: string;
}

/** Commands of the process that calls back. */
export type CallbackLoadCommands = {
  /** Resolves with the time that they took, in ms, and how many were not answered with 200. */
  callBack(run: CallbackRun): Promise<{ elapsedMs: number; failed: number }>;
};

const PATH = '/providers/callback/sendgrid/prv_bench/secret';

async function callBack({ port, run, callbacks, connections, privateKey }: CallbackRun) {
  // Signed before the time is measured: that is the vendor's work.
  const requests = Array.from({ length: callbacks }, (_, number) => requestOf(run, number, privateKey));
  const startedAt = monotonicMs();
  let next = 0;
  let failed = 0;
  const caller = async () => {
    const connection = new HttpConnection('127.0.0.1', port);
    for (let number = next++; number < callbacks; number = next++) if ((await connection.send(requests[number]!)) !== 200) failed += 1;
    connection.close();
  };
  await Promise.all(Array.from({ length: connections }, caller));
  return { elapsedMs: monotonicMs() - startedAt, failed };
}

/** One event, as SendGrid posts it. */
function requestOf(run: number, number: number, privateKey: string): string {
  const now = Date.now();
  const timestamp = String(Math.floor(now / 1_000));
  const event = {
    email: 'ada@example.com',
    timestamp: Number(timestamp),
    event: 'delivered',
    'smtp-id': '<14c5d75ce93.dfd.64b469@ismtpd-555>',
    category: [],
    sg_event_id: `bench-${run}-${number}`,
    sg_message_id: '14c5d75ce93.dfd.64b469.filter0001.16648.5515E0B88.0',
    response: '250 2.0.0 OK',
    tidings_delivery: `${newMessageId(now)}.0`,
  };
  const body = JSON.stringify([event]);
  const signature = sign('sha256', Buffer.from(timestamp + body), privateKey).toString('base64');
  const headers = `X-Twilio-Email-Event-Webhook-Timestamp: ${timestamp}\r\n` + `X-Twilio-Email-Event-Webhook-Signature: ${signature}\r\n`;
  return httpRequest('POST', PATH, '127.0.0.1', '-', body, headers);
}

serve<CallbackLoadCommands>({ callBack });
