import { randomUUID } from 'node:crypto';
import { defineEvent, type EventDefinition } from '@tidings/contracts/core/event';
import type { EventLog, EventRecord, NewEvent } from './event-log';
import { decodeOriginal, encodeOriginal } from './original-record';

/** Payload of the events in these specs. */
export class Step {
  workspaceId!: string;
  runId!: string;
  number!: number;
  text?: string;
}

let topics = 0;

/** An event definition on a new topic. */
export function newTopic(input: { compacted?: boolean; retentionMs?: number | null } = {}): EventDefinition<Step> {
  topics += 1;
  return defineEvent<Step>({
    topic: `tidings.spec-${process.pid}-${topics}.v1`,
    key: ['workspaceId', 'runId'],
    payload: Step,
    summary: 'A step of a run',
    ...input,
  });
}

export function step(runId: string, number: number, text?: string): NewEvent<Step> {
  return { id: randomUUID(), payload: { workspaceId: 'w', runId, number, ...(text === undefined ? {} : { text }) } };
}

export const steps = (runId: string, count: number, from = 1): NewEvent<Step>[] =>
  Array.from({ length: count }, (_, index) => step(runId, from + index));

/** `a1`: run and number, for comparing. */
export const nameOf = ({ payload }: Pick<EventRecord<Step>, 'payload'>): string => `${payload?.runId}${payload?.number}`;

/** A handler that notes records in the order they were handled. */
export class Notes {
  readonly records: EventRecord<Step>[] = [];
  readonly note = (batch: readonly EventRecord<Step>[]): Promise<void> => {
    this.records.push(...batch);
    return Promise.resolve();
  };
  readonly add = (record: EventRecord<Step>): void => void this.records.push(record);

  get names(): string[] {
    return this.records.map(nameOf);
  }

  /** Numbers of one run in the order they were first handled. */
  firstNumbers(runId: string): number[] {
    const numbers = this.records.filter(({ payload }) => payload?.runId === runId).map(({ payload }) => payload!.number);
    return [...new Set(numbers)];
  }
}

/** Appends a run's steps one call after another. */
export async function appendRun(log: EventLog, event: EventDefinition<Step>, runId: string, count: number): Promise<void> {
  for (const one of steps(runId, count)) await log.append(event, [one]);
}

export const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

/** Puts the records of dead letters back and removes the dead letters, through text as between processes. */
export async function redrive(log: EventLog, topic: EventDefinition<Step>, references: readonly string[]): Promise<void> {
  const found = await log.deadLetters.find(topic, references);
  await log.deadLetters.putBack(
    topic,
    found.map(({ original }) => decodeOriginal(encodeOriginal(original!))),
  );
  await log.deadLetters.remove(
    topic,
    found.map(({ reference }) => reference),
  );
}
