/// <reference lib="es2024.string" />
import { hash } from 'node:crypto';
import { parseDeliveryKey } from '@tidings/contracts/messaging/delivery-key';
import { PROVIDER_EVENT_LENGTHS, type ProviderEventReported } from '@tidings/contracts/messaging/provider-events';
import type { NewEvent } from '@tidings/events/event-log';
import type { ProviderEvent } from '@tidings/providers/callback/callback';

/** The configuration that an event came through. */
interface Origin {
  readonly workspaceId: string;
  readonly configurationId: string;
  readonly provider: string;
}

/** The record of a vendor's event: its texts are bounded and can be stored, its time is not of the future. */
export function toReported(event: ProviderEvent, origin: Origin, nowMs: number): NewEvent<ProviderEventReported> {
  const { kind, atMs, reasonCode, optedOut } = event;
  // The vendor's own id may have any length, and is unique within the configuration.
  const { workspaceId, configurationId, provider } = origin;
  const eventId = hash('sha256', `${configurationId} ${event.eventId}`, 'base64url');
  const delivery = parseDeliveryKey(event.delivery);
  const reference = textOf(event.reference, PROVIDER_EVENT_LENGTHS.reference);
  const payload: ProviderEventReported = {
    // Fields after a spread would cost a microsecond each.
    workspaceId,
    configurationId,
    provider,
    subject: delivery?.messageId ?? reference ?? eventId,
    eventId,
    kind,
    at: Math.max(0, Math.min(atMs, nowMs)),
    messageId: delivery?.messageId,
    leaf: delivery?.leaf,
    reference,
    address: textOf(event.address, PROVIDER_EVENT_LENGTHS.address),
    reasonCode,
    optedOut,
    details: textOf(event.details, PROVIDER_EVENT_LENGTHS.details),
    code: textOf(event.code, PROVIDER_EVENT_LENGTHS.code),
    url: textOf(event.url, PROVIDER_EVENT_LENGTHS.url),
  };
  return { id: eventId, payload };
}

/** A text or a number as a text of at most `lengthMax` characters that can be stored; undefined for other values and empty texts. */
function textOf(value: unknown, lengthMax: number): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const text = String(value).replaceAll('\0', '').slice(0, lengthMax).toWellFormed().trim();
  return text === '' ? undefined : text;
}
