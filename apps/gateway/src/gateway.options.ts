import type { FastifyInstance } from 'fastify';
import type { AnyOperation } from '@tidings/contracts/core/request-parts';
import type { NotServedRoute } from '@tidings/contracts/core/openapi';
import type { EventLog } from '@tidings/events/event-log';
import type { OperationClient } from '@tidings/rpc/operation-client';
import type { HealthRegistry } from '@tidings/runtime/health';
import type { CorsOrigins } from './http/cors';
import type { LocalHandlers } from './routes/local-handlers';

/** The largest body that is read, in bytes; a larger one is 413. */
export const BODY_BYTES_MAX = 6 * 1024 * 1024;

/** As many characters as nobody guesses. */
export const ADMIN_KEY_LENGTH_MIN = 32;

/** What the gateway is made of. */
export interface GatewayOptions {
  /** Reaches the services. */
  client: OperationClient;
  /** Where sends are accepted into, and where revoked keys are heard of. */
  events: EventLog;
  /** Default: every operation of the registry; those without a route are passed over. */
  operations?: readonly AnyOperation[];
  /** Routes of the interface that nothing serves yet. Default: the registry's. */
  notServed?: readonly NotServedRoute[];
  /** Operations that the gateway answers itself. Default: accepting sends, sealing what bulk jobs hold, issuing tokens. */
  localHandlers?: LocalHandlers;
  /**
   * What operators show at `/admin`: at least `ADMIN_KEY_LENGTH_MIN` characters, no client's key. Without it `/admin` is not served.
   */
  adminKey?: string;
  /** Seal the secrets of overrides before they are kept anywhere: the first seals. Default: none. */
  secretKeys?: readonly Buffer[];
  /** Pages of which origins may call. Default: all (see `DEFAULT_CORS_ORIGINS`). */
  cors?: CorsOrigins;
  /** Version of the product, for `/openapi.json` and `/asyncapi.json`. */
  version?: string;
  /** Stands before the names of the topics in `/asyncapi.json`. Default: nothing. */
  topicPrefix?: string;
  health?: HealthChecks;
  /** Default: none, and `/metrics` is not served. */
  metrics?: Metrics;
  /** Where `extraRoutes` shows the development mailbox: `/` leads there. */
  mailbox?: string;
  /** Routes of the process that hosts the gateway; they are outside authentication. */
  extraRoutes?: (instance: FastifyInstance) => void;
}

/** What the gateway asks of the process's `HealthRegistry`. */
export type HealthChecks = Pick<HealthRegistry, 'live' | 'ready'>;

/** Metrics as text, in the shape of prom-client's `Registry`. */
export interface Metrics {
  readonly contentType: string;
  metrics(): Promise<string>;
}
