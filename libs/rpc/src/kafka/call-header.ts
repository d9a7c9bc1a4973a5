import type { IHeaders } from 'kafkajs';
import type { RequestHeaders } from '../envelope';

/**
 * One header instead of one for each field: kafkajs spends 2.5 µs on every header of a record, a fifth of a call's whole cost with
 * nine headers. JSON, so that no value can be mistaken for a separator.
 */
const HEADER = 'call';
/** Operation of a probe: a member answers it first, with an empty reply. */
export const PROBE = 'probe';

/** A request's header. */
export interface RequestFrame {
  /** `instance.call.attempt`: equal on every delivery of the record. */
  id: string;
  /** Partition of the reply topic that the calling instance reads. */
  replyPartition: number;
  headers: RequestHeaders;
}

/** The record header of a request. */
export function encodeFrame({ id, replyPartition, headers }: RequestFrame): IHeaders {
  const { operation, deadline, callId, workspace, mode, scopes, traceparent, requestKey } = headers;
  const fields = [operation, id, replyPartition, deadline, callId, workspace, mode, scopes];
  if (traceparent || requestKey) fields.push(traceparent ?? '');
  if (requestKey) fields.push(requestKey);
  return { [HEADER]: JSON.stringify(fields) };
}

/** The request's frame; `undefined` for a record that is not one of our requests. */
export function decodeFrame(record: IHeaders | undefined): RequestFrame | undefined {
  const text = record?.[HEADER];
  if (!Buffer.isBuffer(text)) return undefined;
  try {
    const [operation, id, replyPartition, deadline, callId, workspace, mode, scopes, traceparent, requestKey] = JSON.parse(
      text.toString(),
    ) as [string, string, number, string, string, string, string, string, string?, string?];
    if (typeof id !== 'string' || !Number.isInteger(replyPartition) || !(Number(deadline) >= 0)) return undefined;
    const headers = { operation, deadline, callId, workspace, mode, scopes, traceparent: traceparent || undefined, requestKey };
    return { id, replyPartition, headers };
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

/** The key of a member's reply. */
export function replyKey(request: string, member: string): string {
  return `${request}.${member}`;
}

/** The address in a reply's key; `undefined` for any other key. */
export function decodeReplyKey(key: Buffer | null): ReplyAddress | undefined {
  const [instance, call, attempt, member] = key?.toString('latin1').split('.') ?? [];
  if (!instance || !member) return undefined;
  return { instance, call: Number(call), attempt: Number(attempt), member };
}
