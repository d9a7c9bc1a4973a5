import type { CustomTransportStrategy } from '@nestjs/microservices';
import type { ServiceName } from '@tidings/contracts/core/operation';
import type { OperationClient } from './operation-client';

/** A way for operations to travel: inside the process, or over Kafka. Chosen once, at start. */
export interface RpcTransport {
  /** The Nest transport strategy with which `service` answers its operations. */
  server(service: ServiceName): CustomTransportStrategy;
  /** Calls operations of any service on this transport. */
  client(): OperationClient;
  /** Whether calls can be made right now; for readiness. */
  ready(): Promise<boolean>;
  /** Answers what is under way, then stops taking calls. */
  close(): Promise<void>;
}
