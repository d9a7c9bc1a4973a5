import { BulkJobEntity } from './expand/bulk/bulk-job.entity';
import { ConfigurationEntity } from './providers/configuration.entity';
import { ProviderCallbackEntity } from './providers/provider-callback.entity';
import { ProviderPauseEntity } from './providers/provider-pause.entity';
import { SenderDomainsEntity } from './providers/sender-domains.entity';
import { SuppressionEntity } from './suppressions/suppression.entity';
import { WebhookDeliveryEntity } from './webhooks/webhook-delivery.entity';
import { WebhookEntity } from './webhooks/webhook.entity';

/** Every entity of the schema `messaging`; messages and deliveries have statements. */
export const MESSAGING_ENTITIES = [
  ConfigurationEntity,
  ProviderCallbackEntity,
  ProviderPauseEntity,
  SenderDomainsEntity,
  SuppressionEntity,
  BulkJobEntity,
  WebhookEntity,
  WebhookDeliveryEntity,
];
