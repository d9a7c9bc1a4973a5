import { defineOperations, Nothing } from '@tidings/contracts/core/operation';
import { SystemStatus } from '@tidings/contracts/core/status';

/** The status of the five apps, composed of those that the services answer. */
export const status = defineOperations('gateway.status', 'internal', {
  read: { summary: 'Whether the five apps are ready, and what waits in them', request: Nothing, response: SystemStatus },
});
