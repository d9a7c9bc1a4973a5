import { type DynamicModule, Inject, Injectable, Module, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { notServed as everythingNotServed } from '@tidings/contracts/notServed';
import { asyncApiDocument } from '@tidings/contracts/core/asyncapi';
import { openApiDocument } from '@tidings/contracts/core/openapi';
import { send } from '@tidings/contracts/messaging/send';
import { events as allEvents, operations as allOperations } from '@tidings/contracts/registry';
import { Authenticator } from './auth/authenticator';
import { KeyVerifier } from './auth/key-verifier';
import type { GatewayOptions } from './gateway.options';
import { DEFAULT_CORS_ORIGINS } from './http/cors';
import type { GatewayAdapter } from './http/gateway-adapter';
import { routePages } from './pages/pages';
import { answersLocally } from './routes/local-handlers';
import { routeOperations } from './routes/operation-routes';
import { SendHandlers } from './send/send.handlers';

const OPTIONS = Symbol('GatewayOptions');

/** Puts every route on the adapter's instance, beside Nest's own router: a request passes nothing it does not need. */
@Injectable()
class GatewayRoutes implements OnModuleInit {
  constructor(
    private readonly host: HttpAdapterHost<GatewayAdapter>,
    @Inject(OPTIONS) private readonly options: GatewayOptions,
    private readonly authenticator: Authenticator,
  ) {}

  onModuleInit(): void {
    const { client, events, health, metrics, extraRoutes } = this.options;
    const {
      operations = allOperations,
      notServed = everythingNotServed,
      cors = DEFAULT_CORS_ORIGINS,
      version = 'unreleased',
      topicPrefix,
    } = this.options;
    const { localHandlers = answersLocally(send, new SendHandlers(events)) } = this.options;
    const { httpAdapter } = this.host;

    routeOperations(httpAdapter.operations, { operations, notServed, localHandlers, client, cors, authenticator: this.authenticator });
    const document = openApiDocument(operations, notServed, { title: 'Tidings', version });
    const eventsDocument = asyncApiDocument(allEvents, { title: 'Tidings events', version, topicPrefix });
    routePages(httpAdapter.root, { document, eventsDocument, health, metrics });
    extraRoutes?.(httpAdapter.root);
  }
}

/** The HTTP door: authenticates, reads and checks requests, forwards them. Needs a `GatewayAdapter`. Owns no data. */
@Module({})
export class GatewayModule {
  static register(options: GatewayOptions): DynamicModule {
    return {
      module: GatewayModule,
      providers: [
        { provide: OPTIONS, useValue: options },
        { provide: KeyVerifier, useFactory: () => new KeyVerifier(options.client, options.events) },
        { provide: Authenticator, useFactory: (verifier: KeyVerifier) => new Authenticator(verifier), inject: [KeyVerifier] },
        GatewayRoutes,
      ],
    };
  }
}
