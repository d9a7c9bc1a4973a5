import type { FastifyInstance } from 'fastify';
import type { AnyOperation } from '@tidings/contracts/core/request-parts';
import type { NotServedRoute } from '@tidings/contracts/core/openapi';
import type { EventLog } from '@tidings/events/event-log';
import type { OperationClient } from '@tidings/rpc/operation-client';
import type { HealthRegistry } from '@tidings/runtime/health';
import type { OidcSettings } from '@tidings/runtime/oidc-configuration';

/** Maximum size of a body, in bytes; a larger one is 413. */
export const BODY_BYTES_MAX = 6 * 1024 * 1024;

/** Too long to be guessed. */
export const ADMIN_KEY_LENGTH_MIN = 32;

/** Token of the `EventLog`. */
export const EVENT_LOG = Symbol('EventLog');

/** Dependencies and settings of the gateway. */
export interface GatewayOptions {
  /** Reaches the services. */
  client: OperationClient;
  /** Receives the accepted sends and delivers the events of changed keys. */
  events: EventLog;
  /** Default: every operation of the registry; those without a route are ignored. */
  operations?: readonly AnyOperation[];
  /** Routes of the interface that are not served yet. Default: the registry's. */
  notServed?: readonly NotServedRoute[];
  /**
   * Key of the operator `admin` at `/admin`: at least `ADMIN_KEY_LENGTH_MIN` characters, no client's key. Without any operator `/admin` is
   * not served.
   */
  adminKey?: string;
  /** Origins of pages that may use API keys, beside the gateway's own. Default: none. */
  corsOrigins?: readonly string[];
  /** Keys of further operators at `/admin`, as `adminKey`. Default: none. */
  adminKeys?: readonly OperatorKey[];
  /** Seal the secrets of overrides before they are stored; the first key seals. All open the links of recipients. Default: none. */
  secretKeys?: readonly Buffer[];
  /** Address of the gateway for others, without a slash at its end: some vendors sign it. Default: what the request names. */
  publicUrl?: string;
  /** Version in `/openapi.json` and `/asyncapi.json`. Default: that of the product. */
  version?: string;
  /** Prefix of the topics in `/asyncapi.json`. Default: none. */
  topicPrefix?: string;
  /** Whether each request is a line of the log, at level `debug`. Default: no. */
  logsRequests?: boolean;
  health?: HealthChecks;
  /** Default: none, and `/metrics` is not served. */
  metrics?: Metrics;
  /** How people sign in to the console by OpenID Connect. Default: they do not. */
  oidc?: OidcSettings;
  /** Address of the gateway for users of the console, without a slash at its end. Default: what the request names. */
  consoleUrl?: string;
  /** Folder of the built console. Default: that of the product. */
  consoleDirectory?: string;
  /** Path of the development mailbox in `extraRoutes`, linked from `/`. */
  mailbox?: string;
  /** Routes of the hosting process, without authentication. */
  extraRoutes?: (instance: FastifyInstance) => void;
}

/** An operator; audit events show the name. */
export interface OperatorKey {
  readonly name: string;
  readonly key: string;
}

/** The part of the process's `HealthRegistry` that the gateway uses. */
export type HealthChecks = Pick<HealthRegistry, 'live' | 'ready'>;

/** Metrics as text, in the shape of prom-client's `Registry`. */
export interface Metrics {
  readonly contentType: string;
  metrics(): Promise<string>;
}
