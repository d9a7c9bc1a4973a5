import type { CustomTransportStrategy } from '@nestjs/microservices';
import type { ServiceName } from '@tidings/contracts/core/operation';
import type { OperationClient } from './operation-client';

/** Transport of operations: inside the process, or over Kafka. Chosen once, at start. */
export interface RpcTransport {
  /** The Nest transport strategy with which `service` answers its operations. */
  server(service: ServiceName): CustomTransportStrategy;
  /** Calls operations of any service on this transport. */
  client(): OperationClient;
  /** Whether calls can be made now; for readiness. */
  ready(): Promise<boolean>;
  /** Refuses further calls, and resolves when open ones have ended. */
  close(): Promise<void>;
}
