import type { IHeaders } from 'kafkajs';
import type { RequestHeaders } from '../envelope';

/**
 * One header instead of one for each field: kafkajs spends 2.5 µs on every header of a record, a fifth of all a call costs when
 * there are nine. JSON, so that no value can be taken for a border between two.
 */
const HEADER = 'call';
/** Asks a member whether it is there; answered before everything else, with nothing. */
export const PROBE = 'probe';

/** What a member has to know of a request. */
export interface RequestFrame {
  /** `instance.call.ask`: the same on every delivery of the record. */
  id: string;
  /** Of the reply topic; the calling instance reads it. */
  replyPartition: number;
  headers: RequestHeaders;
}

export function encodeFrame({ id, replyPartition, headers }: RequestFrame): IHeaders {
  const { operation, deadline, callId, workspace, mode, scopes, traceparent, requestKey } = headers;
  const fields = [operation, id, replyPartition, deadline, callId, workspace, mode, scopes];
  if (traceparent || requestKey) fields.push(traceparent ?? '');
  if (requestKey) fields.push(requestKey);
  return { [HEADER]: JSON.stringify(fields) };
}

/** `undefined` for a record that is no request of ours. */
export function decodeFrame(record: IHeaders | undefined): RequestFrame | undefined {
  const text = record?.[HEADER];
  if (!Buffer.isBuffer(text)) return undefined;
  try {
    const [operation, id, replyPartition, deadline, callId, workspace, mode, scopes, traceparent, requestKey] = JSON.parse(
      text.toString(),
    ) as [string, string, number, string, string, string, string, string, string?, string?];
    if (typeof id !== 'string' || !Number.isInteger(replyPartition) || !(Number(deadline) >= 0)) return undefined;
    const given = { ...(traceparent && { traceparent }), ...(requestKey && { requestKey }) };
    return { id, replyPartition, headers: { operation, deadline, callId, workspace, mode, scopes, ...given } };
  } catch {
    return undefined;
  }
}

/** Which ask a reply answers, and which member answered; travels as the reply's key. */
export interface ReplyAddress {
  instance: string;
  call: number;
  ask: number;
  member: string;
}

export function requestId(instance: string, call: number, ask: number): string {
  return `${instance}.${call}.${ask}`;
}

/** The same for every ask of one call: what has an effect has it once. */
export function deliveryIdOf(request: string): string {
  return request.slice(0, request.lastIndexOf('.'));
}

export function replyKey(request: string, member: string): string {
  return `${request}.${member}`;
}

export function decodeReplyKey(key: Buffer | null): ReplyAddress | undefined {
  const [instance, call, ask, member] = key?.toString('latin1').split('.') ?? [];
  if (!instance || !member) return undefined;
  return { instance, call: Number(call), ask: Number(ask), member };
}
