import { Injectable } from '@nestjs/common';
import { ServiceError } from '@tidings/contracts/core/errors';
import type { Operation, ResponseOf } from '@tidings/contracts/core/operation';
import { invalid } from '@tidings/contracts/core/refusals';
import {
  assertChannelSettings,
  assertRouting,
  type ChannelSettings,
  type MessageRouting,
  routingOfTemplate,
} from '@tidings/contracts/content/routing';
import { routingStrategies, type StrategyFields } from '@tidings/contracts/content/routing-strategies';
import { tenantTemplates } from '@tidings/contracts/content/tenant-templates';
import { consoleKeys } from '@tidings/contracts/identity/console-keys';
import { auth, issuedTokens } from '@tidings/contracts/identity/issued-tokens';
import { keys } from '@tidings/contracts/identity/keys';
import { bulk } from '@tidings/contracts/messaging/bulk';
import { dryRunPlans, dryRuns } from '@tidings/contracts/messaging/dry-runs';
import { type FieldNames, namesBelow } from '@tidings/contracts/messaging/accept-message';
import { type NamePaths, ownNames } from '@tidings/contracts/messaging/channel-names';
import { send } from '@tidings/contracts/messaging/send';
import { OperationClient } from '@tidings/rpc/operation-client';
import { OverrideSecrets } from '@tidings/runtime/override-secrets';
import { createKey, rotateKey } from '../admin/new-keys';
import type { Caller } from '../auth/caller';
import { OwnNames } from '../send/own-names';
import { SendHandlers } from '../send/send.handlers';

type LocalHandler = (caller: Caller, request: never) => Promise<unknown>;

/** The operations that the gateway answers itself, or does something for before it forwards them. Requests are validated. */
@Injectable()
export class LocalHandlers {
  private readonly byPattern = new Map<string, LocalHandler>();

  constructor(
    private readonly client: OperationClient,
    private readonly ownNames: OwnNames,
    sends: SendHandlers,
    secrets: OverrideSecrets,
  ) {
    this.add(send.accept, (caller, request) => sends.accept(caller, request));
    this.add(send.acceptForLists, (caller, request) => sends.acceptForLists(caller, request));
    // Accepted as a send, but planned instead of appended.
    this.add(dryRuns.simulate, async (caller, { message_id, ...body }) => {
      if (!message_id) return client.call(dryRunPlans.plan, caller, { request: await sends.requestOf(caller, body) });
      if (Object.keys(body).length > 0) throw invalid('A dry run takes message_id or the body of a send, not both');
      return client.call(dryRunPlans.planMessage, caller, { message_id });
    });
    // Identity signs the token; the gateway adds the id of the requesting key.
    this.add(auth.issueToken, async (caller, { scope, expires_in }) => {
      if (caller.person) throw new ServiceError('forbidden', 'This needs an API key: a token ends with the key that issued it');
      return client.call(issuedTokens.sign, caller, { scope, expires_in, key_id: caller.keyId });
    });
    this.add(consoleKeys.list, (caller, request) => client.call(keys.page, caller, request));
    this.add(consoleKeys.create, (caller, request) => createKey(client, caller, request));
    this.add(consoleKeys.rotate, (caller, request) => rotateKey(client, caller, request));
    this.add(consoleKeys.revoke, (caller, request) => client.call(keys.revoke, caller, request));
    // The secrets of the message are sealed before messaging creates the job.
    this.add(bulk.create, (caller, { message }) =>
      client.call(bulk.create, caller, { message: secrets.acceptBulk(caller.workspaceId, message) }),
    );
    this.addChecked(routingStrategies.create, namesOfStrategy);
    this.addChecked(routingStrategies.replace, namesOfStrategy);
    this.addChecked(tenantTemplates.replace, ({ template: { routing, channels } }) =>
      namesOf(routingOfTemplate(routing, 'template.routing'), channels, namesBelow('template').of),
    );
  }

  find(pattern: string) {
    return this.byPattern.get(pattern);
  }

  private add<Request extends object, Response extends object>(
    { pattern }: Operation<Request, Response>,
    handler: (caller: Caller, request: Request) => Promise<ResponseOf<Operation<Request, Response>>>,
  ) {
    this.byPattern.set(pattern, handler);
  }

  /** A write to content whose channel names are checked first, as for a send: only messaging knows the names of a workspace's providers. */
  private addChecked<Request extends object, Response extends object>(
    operation: Operation<Request, Response>,
    namesOf: (request: Request) => NamePaths,
  ) {
    this.add(operation, async (caller, request) => {
      await this.ownNames.assertAll(caller, namesOf(request));
      return this.client.call(operation, caller, request);
    });
  }
}

/** The channel names in a routing strategy. */
function namesOfStrategy({ routing, channels }: StrategyFields) {
  assertRouting(routing, 'routing');
  return namesOf(routing, channels, namesBelow('').of);
}

function namesOf(routing: MessageRouting | null, channels: Record<string, ChannelSettings> | null | undefined, of: FieldNames['of']) {
  if (channels) assertChannelSettings(channels, of('channels'));
  return ownNames({ routing, channels }, of);
}
