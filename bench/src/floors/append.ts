import type { EventLog } from '@tidings/events/event-log';
import { connectLog, type LogTarget, messageRequested, type SendLike, toRequested } from '../bench-log';
import { monotonicMs } from '../clock';
import { sendBody } from '../send-request';
import { serve } from '../worker';

export interface AppendRun {
  run: number;
  appends: number;
  /** Each waits for its append before it starts the next. */
  callers: number;
}

export interface AppendResult {
  elapsedMs: number;
  /** Of this process alone. */
  cpuMs: number;
  /** Duration of each append in ms. */
  latencies: Float64Array;
}

export type AppendCommands = {
  connect(target: LogTarget): Promise<void>;
  append(run: AppendRun): Promise<AppendResult>;
};

let log: EventLog | undefined;

/** Durable appends alone: no HTTP, no JSON to parse, no validation. */
async function append({ run, appends, callers }: AppendRun): Promise<AppendResult> {
  const connected = log;
  if (!connected) throw new Error('Not connected');
  const latencies = new Float64Array(appends);
  const body = JSON.parse(sendBody(run, 0, { inline: false })) as SendLike;
  const cpuBefore = process.cpuUsage();
  const runStartedAt = monotonicMs();
  let next = 0;
  const caller = async () => {
    for (let number = next++; number < appends; number = next++) {
      const startedAt = monotonicMs();
      await connected.append(messageRequested, [toRequested(body)]);
      latencies[number] = monotonicMs() - startedAt;
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  const elapsedMs = monotonicMs() - runStartedAt;
  const { user, system } = process.cpuUsage(cpuBefore);
  return { elapsedMs, cpuMs: (user + system) / 1000, latencies };
}

serve<AppendCommands>(
  {
    connect: async (target) => {
      log = await connectLog(target, 'bench-append');
    },
    append,
  },
  () => log?.close(),
);
