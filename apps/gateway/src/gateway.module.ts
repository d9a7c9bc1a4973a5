import { type DynamicModule, Inject, Injectable, Module, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { notServed as everythingNotServed } from '@tidings/contracts/notServed';
import { asyncApiDocument } from '@tidings/contracts/core/asyncapi';
import { openApiDocument } from '@tidings/contracts/core/openapi';
import { events as allEvents, operations as allOperations } from '@tidings/contracts/registry';
import { OperationClient } from '@tidings/rpc/operation-client';
import { OverrideSecrets } from '@tidings/runtime/override-secrets';
import { routeAdmin } from './admin/admin-routes';
import { AccessChanges } from './auth/access-changes';
import { Authenticator } from './auth/authenticator';
import { KeyVerifier } from './auth/key-verifier';
import { TokenVerifier } from './auth/token-verifier';
import { VerificationKeys } from './auth/verification-keys';
import { EVENT_LOG, type GatewayOptions } from './gateway.options';
import type { GatewayAdapter } from './http/gateway-adapter';
import { routePages } from './pages/pages';
import { LocalHandlers } from './routes/local-handlers';
import { routeOperations } from './routes/operation-routes';
import { OwnNames } from './send/own-names';
import { SendHandlers } from './send/send.handlers';

const OPTIONS = Symbol('GatewayOptions');

/** Adds every route to the adapter's instance, beside Nest's own router, so that requests pass no unused layer. */
@Injectable()
class GatewayRoutes implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost<GatewayAdapter>,
    @Inject(OPTIONS) private readonly options: GatewayOptions,
    private readonly authenticator: Authenticator,
    private readonly localHandlers: LocalHandlers,
  ) {}

  onModuleInit(): void {
    const { client, health, metrics, mailbox, extraRoutes, adminKey, topicPrefix } = this.options;
    const { operations = allOperations, notServed = everythingNotServed, version = 'unreleased' } = this.options;
    const { authenticator, localHandlers } = this;
    const { httpAdapter } = this.host;

    routeOperations(httpAdapter.operations, { operations, notServed, localHandlers, client, authenticator });
    routeAdmin(httpAdapter.operations, { adminKey, client, version });
    const document = openApiDocument(operations, notServed, { title: 'Tidings', version });
    const eventsDocument = asyncApiDocument(allEvents, { title: 'Tidings events', version, topicPrefix });
    routePages(httpAdapter.root, { version, mailbox, document, eventsDocument, health, metrics });
    extraRoutes?.(httpAdapter.root);
  }
}

/** The HTTP gateway: authenticates, parses, validates and forwards requests. Requires a `GatewayAdapter`. Owns no data. */
@Module({})
export class GatewayModule {
  static register(options: GatewayOptions): DynamicModule {
    return {
      module: GatewayModule,
      providers: [
        { provide: OPTIONS, useValue: options },
        { provide: OperationClient, useValue: options.client },
        { provide: EVENT_LOG, useValue: options.events },
        { provide: OverrideSecrets, useValue: new OverrideSecrets(options.secretKeys) },
        AccessChanges,
        KeyVerifier,
        VerificationKeys,
        TokenVerifier,
        Authenticator,
        OwnNames,
        SendHandlers,
        LocalHandlers,
        GatewayRoutes,
      ],
    };
  }
}
