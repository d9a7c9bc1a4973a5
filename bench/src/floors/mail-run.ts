import { monotonicMs } from '../clock';

export interface MailRun {
  port: number;
  run: number;
  mails: number;
  /** Kept-alive connections, each with one mail in flight. */
  connections: number;
  /** No mail is started after this time; some floors are slow. */
  limitMs: number;
}

export interface MailResult {
  /** Start of each mail by `monotonicMs()`; 0 for mails that were not started. */
  startedAt: Float64Array;
  /** Number of mails sent. */
  sent: number;
  elapsedMs: number;
  /** Of this process alone. */
  cpuMs: number;
}

/** Sends the mails of a run, `connections` at a time, and measures. */
export async function runMails(
  { mails, connections, limitMs }: MailRun,
  send: (number: number, lane: number) => Promise<void>,
): Promise<MailResult> {
  const startedAt = new Float64Array(mails);
  const cpuBefore = process.cpuUsage();
  const runStartedAt = monotonicMs();
  let next = 0;
  let sent = 0;
  const lane = async (_: unknown, index: number) => {
    while (next < mails) {
      const number = next++;
      const now = monotonicMs();
      if (now - runStartedAt > limitMs) return;
      startedAt[number] = now;
      await send(number, index);
      sent += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, lane));
  const elapsedMs = monotonicMs() - runStartedAt;
  const { user, system } = process.cpuUsage(cpuBefore);
  return { startedAt, sent, elapsedMs, cpuMs: (user + system) / 1000 };
}
