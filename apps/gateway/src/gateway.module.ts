import { type DynamicModule, Inject, Injectable, Module, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { notServed as everythingNotServed } from '@tidings/contracts/notServed';
import { asyncApiDocument } from '@tidings/contracts/core/asyncapi';
import { openApiDocument } from '@tidings/contracts/core/openapi';
import { send } from '@tidings/contracts/messaging/send';
import { events as allEvents, operations as allOperations } from '@tidings/contracts/registry';
import { OverrideSecrets } from '@tidings/persistence/override-secrets';
import { routeAdmin } from './admin/admin-routes';
import { AccessChanges } from './auth/access-changes';
import { Authenticator } from './auth/authenticator';
import { issuesTokens } from './auth/issue-token';
import { KeyVerifier } from './auth/key-verifier';
import { TokenVerifier } from './auth/token-verifier';
import { VerificationKeys } from './auth/verification-keys';
import type { GatewayOptions } from './gateway.options';
import { DEFAULT_CORS_ORIGINS } from './http/cors';
import type { GatewayAdapter } from './http/gateway-adapter';
import { routePages } from './pages/pages';
import { answersLocally, type LocalHandlers } from './routes/local-handlers';
import { routeOperations } from './routes/operation-routes';
import { sealsBulkSecrets } from './send/bulk-secrets';
import { OwnNames } from './send/own-names';
import { SendHandlers } from './send/send.handlers';
import { checksStoredNames } from './send/stored-names';

const OPTIONS = Symbol('GatewayOptions');

/** Adds every route to the adapter's instance, beside Nest's own router, so that requests pass no unused layer. */
@Injectable()
class GatewayRoutes implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost<GatewayAdapter>,
    @Inject(OPTIONS) private readonly options: GatewayOptions,
    private readonly authenticator: Authenticator,
  ) {}

  onModuleInit(): void {
    const { client, health, metrics, mailbox, extraRoutes, adminKey } = this.options;
    const {
      operations = allOperations,
      notServed = everythingNotServed,
      cors = DEFAULT_CORS_ORIGINS,
      version = 'unreleased',
      topicPrefix,
    } = this.options;
    const { localHandlers = localHandlersOf(this.options) } = this.options;
    const { httpAdapter } = this.host;

    routeOperations(httpAdapter.operations, { operations, notServed, localHandlers, client, cors, authenticator: this.authenticator });
    routeAdmin(httpAdapter.operations, { adminKey, client, version });
    const document = openApiDocument(operations, notServed, { title: 'Tidings', version });
    const eventsDocument = asyncApiDocument(allEvents, { title: 'Tidings events', version, topicPrefix });
    routePages(httpAdapter.root, { version, mailbox, document, eventsDocument, health, metrics });
    extraRoutes?.(httpAdapter.root);
  }
}

function localHandlersOf({ client, events, secretKeys }: GatewayOptions): LocalHandlers {
  const secrets = new OverrideSecrets(secretKeys);
  const ownNames = new OwnNames(client);
  const sends = answersLocally(send, new SendHandlers(events, client, secrets, ownNames));
  return new Map([...sends, ...sealsBulkSecrets(client, secrets), ...checksStoredNames(client, ownNames), ...issuesTokens(client)]);
}

/** The HTTP gateway: authenticates, parses, validates and forwards requests. Requires a `GatewayAdapter`. Owns no data. */
@Module({})
export class GatewayModule {
  static register(options: GatewayOptions): DynamicModule {
    return {
      module: GatewayModule,
      providers: [
        { provide: OPTIONS, useValue: options },
        { provide: AccessChanges, useFactory: () => new AccessChanges(options.events) },
        { provide: Authenticator, useFactory: (changes: AccessChanges) => authenticator(options, changes), inject: [AccessChanges] },
        GatewayRoutes,
      ],
    };
  }
}

function authenticator({ client }: GatewayOptions, changes: AccessChanges): Authenticator {
  const keys = new KeyVerifier(client, changes);
  return new Authenticator(keys, new TokenVerifier(new VerificationKeys(client, changes), keys));
}
