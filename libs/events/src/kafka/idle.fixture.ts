import '@tidings/testing/quiet';
import { setTimeout as delay } from 'node:timers/promises';
import { createKafkaClient } from './client';

const IDLE_MS = 500;

/** A process that is connected to the brokers of its first parameter and has nothing to do: says how often it woke up meanwhile. */
async function main(brokers: string[]): Promise<void> {
  const admin = createKafkaClient({ brokers, topicPrefix: '' }, 'spec').admin();
  await admin.connect();
  await admin.listTopics();
  // The operating system's count: each time the process slept and was woken.
  const sleeps = (): number => process.resourceUsage().voluntaryContextSwitches;
  const before = sleeps();
  await delay(IDLE_MS);
  console.log(`woke up ${sleeps() - before} times\n`);
  await admin.disconnect();
}

void main(process.argv[2]!.split(','));
