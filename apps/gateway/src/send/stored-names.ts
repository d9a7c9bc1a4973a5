import {
  acceptRouting,
  assertChannelSettings,
  assertRouting,
  type ChannelSettings,
  type MessageRouting,
} from '@tidings/contracts/content/routing';
import { routingStrategies, type StrategyFields } from '@tidings/contracts/content/routing-strategies';
import { tenantTemplates, type TenantTemplateInput } from '@tidings/contracts/content/tenant-templates';
import { type NamedPlaces, ownNamesStored } from '@tidings/contracts/messaging/channel-names';
import type { OperationClient } from '@tidings/rpc/operation-client';
import { answersLocally, type LocalHandlers } from '../routes/local-handlers';
import type { OwnNames } from './own-names';

/**
 * Handlers of writes to routing strategies and tenants' templates, which belong to content. The gateway checks their channel names
 * first, as for a send: only messaging knows the names of a workspace's providers.
 */
export function checksStoredNames(client: OperationClient, ownNames: OwnNames): LocalHandlers {
  const { create, replace } = routingStrategies;
  const strategies = answersLocally(
    { create, replace },
    {
      create: async (caller, request) => {
        await ownNames.assertAll(caller, namesOfStrategy(request));
        return client.call(create, caller, request);
      },
      replace: async (caller, request) => {
        await ownNames.assertAll(caller, namesOfStrategy(request));
        return client.call(replace, caller, request);
      },
    },
  );
  const templates = answersLocally(
    { replace: tenantTemplates.replace },
    {
      replace: async (caller, request) => {
        await ownNames.assertAll(caller, namesOfTemplate(request.template));
        return client.call(tenantTemplates.replace, caller, request);
      },
    },
  );
  return new Map([...strategies, ...templates]);
}

function namesOfStrategy({ routing, channels }: StrategyFields): NamedPlaces {
  assertRouting(routing, 'routing');
  return namesOf(routing, channels, (field) => field);
}

function namesOfTemplate({ routing: input, channels }: TenantTemplateInput): NamedPlaces {
  const routing = input ? acceptRouting(input, 'template.routing', { mayBeEmpty: true }) : null;
  return namesOf(routing, channels, (field) => `template.${field}`);
}

function namesOf(
  routing: MessageRouting | null,
  channels: Record<string, ChannelSettings> | null | undefined,
  of: (field: string) => string,
): NamedPlaces {
  if (channels) assertChannelSettings(channels, of('channels'));
  return ownNamesStored({ routing, channels }, of);
}
