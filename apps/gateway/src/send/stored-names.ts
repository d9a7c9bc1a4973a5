import {
  assertChannelSettings,
  assertRouting,
  type ChannelSettings,
  type MessageRouting,
  routingOfTemplate,
} from '@tidings/contracts/content/routing';
import { routingStrategies, type StrategyFields } from '@tidings/contracts/content/routing-strategies';
import { tenantTemplates, type TenantTemplateInput } from '@tidings/contracts/content/tenant-templates';
import { type FieldNames, namesBelow } from '@tidings/contracts/messaging/accept-message';
import { type NamePaths, ownNamesStored } from '@tidings/contracts/messaging/channel-names';
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

function namesOfStrategy({ routing, channels }: StrategyFields): NamePaths {
  assertRouting(routing, 'routing');
  return namesOf(routing, channels, namesBelow('').of);
}

function namesOfTemplate({ routing: input, channels }: TenantTemplateInput): NamePaths {
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
