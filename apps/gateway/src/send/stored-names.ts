import {
  assertChannelSettings,
  assertRouting,
  type ChannelSettings,
  type MessageRouting,
  routingOfTemplate,
} from '@tidings/contracts/content/routing';
import type { StrategyFields } from '@tidings/contracts/content/routing-strategies';
import type { TenantTemplateInput } from '@tidings/contracts/content/tenant-templates';
import { type FieldNames, namesBelow } from '@tidings/contracts/messaging/accept-message';
import { type NamePaths, ownNamesStored } from '@tidings/contracts/messaging/channel-names';

/** The channel names in a routing strategy. */
export function namesOfStrategy({ routing, channels }: StrategyFields): NamePaths {
  assertRouting(routing, 'routing');
  return namesOf(routing, channels, namesBelow('').of);
}

/** The channel names in a tenant's template. */
export function namesOfTemplate({ routing: input, channels }: TenantTemplateInput): NamePaths {
  const routing = routingOfTemplate(input, 'template.routing');
  return namesOf(routing, channels, namesBelow('template').of);
}

function namesOf(
  routing: MessageRouting | null,
  channels: Record<string, ChannelSettings> | null | undefined,
  of: FieldNames['of'],
): NamePaths {
  if (channels) assertChannelSettings(channels, of('channels'));
  return ownNamesStored({ routing, channels }, of);
}
