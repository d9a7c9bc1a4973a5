import {
  acceptRouting,
  assertChannelSettings,
  assertProviderSettings,
  type ChannelSettings,
  type ProviderSettings,
} from '../content/routing';
import { isJsonObject, type JsonObject } from '../core/deep-merge';
import { mustBe, violationsOf } from '../core/violations';
import { assertAttachments } from './attachments';
import { invalid, isGiven } from '../core/refusals';
import type { FieldNames } from './accept-message';
import type { MessageRequested } from './events';
import { Utm } from '../content/utm';

type Settings = 'routing' | 'channels' | 'providers';

/**
 * Checks the channels and providers of a send and writes them to `settings`.
 * @throws ServiceError `invalid_request` naming the field.
 */
export function acceptSettings(
  settings: Pick<MessageRequested, Settings>,
  { routing, channels, providers }: Partial<Record<Settings, unknown>>,
  names: FieldNames,
): void {
  if (isGiven(routing)) settings.routing = acceptRouting(routing, names.of('routing'));
  if (isGiven(channels)) {
    // They may contain files, so only the size of the request limits them.
    const pathOf = (key: string) => names.of('channels', key);
    assertChannelSettings(channels, names.of('channels'), { bytesMax: Infinity, pathOf });
    assertDetails(channels, pathOf);
    settings.channels = channels;
  }
  if (isGiven(providers)) {
    const pathOf = (key: string) => names.of('providers', key);
    assertProviderSettings(providers, names.of('providers'), { bytesMax: Infinity, pathOf });
    assertDetails(providers, pathOf);
    settings.providers = providers;
  }
}

function assertDetails(all: Record<string, ChannelSettings | ProviderSettings>, pathOf: (key: string) => string) {
  for (const [key, { metadata, override }] of Object.entries(all)) {
    const at = pathOf(key);
    if (isGiven(metadata?.utm)) assertUtm(metadata!.utm, `${at}.metadata.utm`);
    if (override) assertOverride(override, `${at}.override`);
  }
}

/** Checks the attachments of an override; other fields are free. `path` names it in errors. @throws ServiceError `invalid_request`. */
export function assertOverride({ attachments }: JsonObject, path: string): void {
  if (isGiven(attachments)) assertAttachments(attachments, `${path}.attachments`);
}

function assertUtm(utm: unknown, path: string) {
  const sentences = isJsonObject(utm) ? violationsOf(Utm, utm, { path }) : [mustBe('an object', path, utm)];
  if (sentences.length > 0) throw invalid(sentences.join('; '));
}
