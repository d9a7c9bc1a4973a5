import type { CatalogEntry, CatalogSetting, ListCatalog } from '@tidings/contracts/messaging/providers';
import { PROVIDER_KINDS } from '@tidings/providers/kinds';
import type { ProviderKind, SettingField } from '@tidings/providers/provider-kind';

/** Every provider on each of its channels. */
const ENTRIES: readonly CatalogEntry[] = PROVIDER_KINDS.flatMap((kind) => kind.channels.map((channel) => entryOf(kind, channel)));

/** The entries that meet all conditions. */
export function catalogEntries({ channel, keys, name }: Pick<ListCatalog, 'channel' | 'keys' | 'name'>): CatalogEntry[] {
  const wanted = keys === undefined ? undefined : new Set(keys.split(',').map((key) => key.trim()));
  return ENTRIES.filter(
    (entry) =>
      (channel === undefined || entry.channel === channel.toLowerCase()) &&
      (!wanted || wanted.has(entry.provider)) &&
      (name === undefined || entry.name.toLowerCase().includes(name.toLowerCase())),
  );
}

function entryOf({ key, title, description, fields }: ProviderKind, channel: string): CatalogEntry {
  const own = Object.entries(fields).map(([name, field]) => [name, settingOf(name, field, channel)] as const);
  const settings = Object.fromEntries([...own, ['rate_limit', { type: 'object', required: false } satisfies CatalogSetting]]);
  return { provider: key, name: title, description, channel, settings };
}

/** The setting `channel` has a single value in the entry of a channel. */
function settingOf(name: string, { type, required, values, secret }: SettingField, channel: string): CatalogSetting {
  const allowed = name === 'channel' ? [channel] : values;
  return { type, required, values: allowed && [...allowed], secret: secret || undefined };
}
