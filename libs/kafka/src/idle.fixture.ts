import '@tidings/testing/quiet';
import { setTimeout as delay } from 'node:timers/promises';
import { createKafkaClient } from './client';

const IDLE_MS = 500;

/** An idle process connected to the brokers of its first parameter; prints how often it woke up in half a second. */
async function main(brokers: string[]): Promise<void> {
  const admin = createKafkaClient({ brokers }, 'spec').admin();
  await admin.connect();
  await admin.listTopics();
  // The operating system counts each time the process slept and woke up.
  const sleeps = (): number => process.resourceUsage().voluntaryContextSwitches;
  const before = sleeps();
  await delay(IDLE_MS);
  console.log(`woke up ${sleeps() - before} times\n`);
  await admin.disconnect();
}

void main(process.argv[2]!.split(','));
