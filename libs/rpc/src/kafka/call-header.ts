import type { ServiceName } from '@tidings/contracts/core/operation';
import type { RequestHeaders } from '../envelope';
import { CALLING_ROLES } from './rpc-topics';

/**
 * One header instead of one for each field: kafkajs spends 2.5 µs on every header of a record, a fifth of a call's whole cost with
 * nine headers. JSON, so that no value can be mistaken for a separator.
 */
export const HEADER = 'call';
/** Operation of a probe: a member answers it first, with an empty reply. */
export const PROBE = 'probe';
/** The `call` of a ping; calls count from 1. */
export const PING = 0;

/** A request's header. */
export interface RequestFrame {
  /** `instance.call.attempt`: equal on every delivery of the record. */
  id: string;
  /** Partition of the reply topic that the calling instance reads. */
  replyPartition: number;
  /** The calling role; absent: the reply topic of all callers. */
  replyRole?: ServiceName;
  headers: RequestHeaders;
}

/** The text of a request's header. @param sentAt by the broker's clock, ms since the epoch. */
export function encodeFrame({ id, replyPartition, replyRole, headers }: RequestFrame, sentAt: number): string {
  const { operation, deadline, callId, workspace, mode, scopes, traceparent = '', requestKey = '' } = headers;
  const { bodyHash = '', actor = '', quota = '', recipients = '', tracestate = '' } = headers;
  const fields = [operation, id, replyPartition, deadline, callId, workspace, mode, scopes, traceparent, requestKey, sentAt];
  const added = [replyRole ?? '', bodyHash, actor, quota, recipients, tracestate];
  while (added.at(-1) === '') added.pop();
  return JSON.stringify([...fields, ...added]);
}

/** The request's frame, and when it was sent if it says so; `undefined` for a text that is none of our headers. */
export function decodeFrame(text: string): { frame: RequestFrame; sentAt?: number } | undefined {
  try {
    const [operation, id, replyPartition, deadline, callId, workspace, mode, scopes, traceparent, requestKey, sentAt, ...added] =
      JSON.parse(text) as [string, string, number, string, string, string, string, string, string?, string?, number?, ...string[]];
    const [replyRole, bodyHash, actor, quota, recipients, tracestate] = added.map((field) => field || undefined) as [
      ServiceName?,
      ...(string | undefined)[],
    ];
    if (replyRole !== undefined && !CALLING_ROLES.includes(replyRole)) return undefined;
    if (typeof id !== 'string' || !Number.isInteger(replyPartition) || !(Number(deadline) >= 0)) return undefined;
    const optional = { traceparent: traceparent || undefined, tracestate, requestKey: requestKey || undefined, bodyHash, actor, quota };
    const headers = { operation, deadline, callId, workspace, mode, scopes, recipients, ...optional };
    return { frame: { id, replyPartition, replyRole, headers }, sentAt };
  } catch {
    return undefined;
  }
}

/** Which attempt a reply answers, and which member answered; it is the reply's key. */
export interface ReplyAddress {
  instance: string;
  call: number;
  attempt: number;
  member: string;
}

/** The id of an attempt at a call. */
export function requestId(instance: string, call: number, attempt: number): string {
  return `${instance}.${call}.${attempt}`;
}

/** The part of a request id common to all attempts at a call, by which its effect happens once. */
export function deliveryIdOf(request: string): string {
  return request.slice(0, request.lastIndexOf('.'));
}

/** The key of a member's reply. @param sentAt by the broker's clock, ms since the epoch. */
export function replyKey(request: string, member: string, sentAt: number): string {
  return `${request}.${member}.${sentAt}`;
}

/** The address in a reply's key, and when it was sent if it says so; `undefined` for any other key. */
export function decodeReplyKey(key: string): { address: ReplyAddress; sentAt?: number } | undefined {
  const [instance, call, attempt, member, sentAt] = key.split('.');
  if (!instance || !member) return undefined;
  const address = { instance, call: Number(call), attempt: Number(attempt), member };
  return { address, ...(sentAt && { sentAt: Number(sentAt) }) };
}
