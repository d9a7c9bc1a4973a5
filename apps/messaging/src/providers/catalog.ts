import type { CatalogEntry, CatalogSetting } from '@tidings/contracts/messaging/providers';
import { PROVIDER_KINDS } from '@tidings/providers/kinds';
import type { ProviderKind, SettingField, SettingFields } from '@tidings/providers/provider-kind';
import { isRequired } from './configuration-settings';

/** Every provider on each of its channels. @param hasSender whether the operator names the sender of mails. */
export function catalogOf(hasSender: boolean): CatalogEntry[] {
  return PROVIDER_KINDS.flatMap((kind) => kind.channels.map((channel) => entryOf(kind, channel, hasSender)));
}

function entryOf({ key, title, description, fields }: ProviderKind, channel: string, hasSender: boolean): CatalogEntry {
  const settings = { ...settingsOf(fields, channel, hasSender), rate_limit: { type: 'object', required: false } satisfies CatalogSetting };
  return { provider: key, name: title, description, channel, settings };
}

function settingsOf(fields: SettingFields, channel: string, hasSender: boolean): Record<string, CatalogSetting> {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, settingOf(name, field, channel, hasSender)]));
}

/** The setting `channel` has a single value in the entry of a channel. */
function settingOf(name: string, field: SettingField, channel: string, hasSender: boolean): CatalogSetting {
  const { type, values, secret, fields } = field;
  const allowed = name === 'channel' ? [channel] : values;
  return {
    type,
    required: isRequired(field, hasSender),
    values: allowed && [...allowed],
    secret: secret || undefined,
    fields: fields && settingsOf(fields, channel, hasSender),
  };
}
