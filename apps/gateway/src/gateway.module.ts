import { type DynamicModule, type INestApplicationContext, Module } from '@nestjs/common';
import { notServed as everythingNotServed } from '@tidings/contracts/not-served';
import { asyncApiDocument } from '@tidings/contracts/core/asyncapi';
import { openApiDocument } from '@tidings/contracts/core/openapi';
import { events as allEvents, operations as allOperations } from '@tidings/contracts/registry';
import { OperationClient } from '@tidings/rpc/operation-client';
import { OverrideSecrets } from '@tidings/runtime/override-secrets';
import { RecipientLinks } from '@tidings/runtime/recipient-links';
import { VERSION } from '@tidings/runtime/version';
import { AdminAuthenticator } from './admin/admin-authenticator';
import { routeAdmin } from './admin/admin-routes';
import { AccessChanges } from './auth/access-changes';
import { Authenticator } from './auth/authenticator';
import { KeyVerifier } from './auth/key-verifier';
import { TokenVerifier } from './auth/token-verifier';
import { VerificationKeys } from './auth/verification-keys';
import { CallbackConfigurations } from './callbacks/callback-configurations';
import { routeCallbacks } from './callbacks/callback-routes';
import { ConfigurationChanges } from './callbacks/configuration-changes';
import { routeConsole, routeReference } from './console/console-pages';
import { routeOidc } from './console/oidc/oidc-routes';
import { routeSessions } from './console/session-routes';
import { EVENT_LOG, type GatewayOptions } from './gateway.options';
import { KeyOrigins } from './http/cors';
import type { GatewayAdapter } from './http/gateway-adapter';
import { RateLimiter } from './limits/rate-limiter';
import { docsWithoutScript } from './pages/docs-without-script';
import { routePages } from './pages/pages';
import { routeRecipientPages } from './recipient-pages/recipient-pages';
import { LocalHandlers } from './routes/local-handlers';
import { routeOperations } from './routes/operation-routes';
import { GivenSenders } from './send/given-senders';
import { OwnNames } from './send/own-names';
import { SendHandlers } from './send/send.handlers';

/** The HTTP gateway: authenticates, parses, validates and forwards requests. Requires a `GatewayAdapter`. Owns no data. */
@Module({})
export class GatewayModule {
  static register(options: GatewayOptions): DynamicModule {
    return {
      module: GatewayModule,
      providers: [
        { provide: OperationClient, useValue: options.client },
        { provide: EVENT_LOG, useValue: options.events },
        { provide: OverrideSecrets, useValue: new OverrideSecrets(options.secretKeys) },
        { provide: KeyOrigins, useValue: new KeyOrigins(options.corsOrigins) },
        AccessChanges,
        ConfigurationChanges,
        CallbackConfigurations,
        KeyVerifier,
        VerificationKeys,
        TokenVerifier,
        Authenticator,
        RateLimiter,
        OwnNames,
        GivenSenders,
        SendHandlers,
        LocalHandlers,
      ],
    };
  }
}

/** Adds every route to the adapter's instance, beside Nest's own router, so that requests pass no unused layer. */
export function addRoutes(app: INestApplicationContext, adapter: GatewayAdapter, options: GatewayOptions) {
  const {
    client,
    events,
    health,
    metrics,
    mailbox,
    extraRoutes,
    adminKey,
    adminKeys = [],
    secretKeys,
    topicPrefix,
    publicUrl,
    consoleDirectory,
    consoleUrl,
    oidc,
  } = options;
  const { operations = allOperations, notServed = everythingNotServed, version = VERSION } = options;

  routeOperations(adapter.operations, {
    operations,
    notServed,
    localHandlers: app.get(LocalHandlers),
    client,
    authenticator: app.get(Authenticator),
    limiter: app.get(RateLimiter),
  });
  routeCallbacks(adapter.operations, { configurations: app.get(CallbackConfigurations), events, publicUrl });
  const operators = [...(adminKey === undefined ? [] : [{ name: 'admin', key: adminKey }]), ...adminKeys];
  routeRecipientPages(adapter.operations, { client, links: new RecipientLinks(secretKeys) });
  const authenticator = new AdminAuthenticator(operators);
  const [keys, keyOrigins] = [app.get(KeyVerifier), app.get(KeyOrigins)];
  routeAdmin(adapter.operations, { authenticator, keys, client, events, version, health, keyOrigins });
  routeSessions(adapter.operations, { operators: authenticator, keys, client, version, keyOrigins, signInWith: oidc?.label });
  routeOidc(adapter.operations, { settings: oidc, consoleUrl, secretKeys, client, keys });
  const document = () => openApiDocument(operations, notServed, { title: 'Tidings', version });
  const eventsDocument = () => asyncApiDocument(allEvents, { title: 'Tidings events', version, topicPrefix });
  routePages(adapter.root, { version, mailbox, document, eventsDocument, health, metrics });
  routeConsole(adapter.root, consoleDirectory);
  routeReference(adapter.root, () => docsWithoutScript(document()), consoleDirectory);
  extraRoutes?.(adapter.root);
}
