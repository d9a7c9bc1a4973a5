import { BulkJobEntity } from './expand/bulk/bulk-job.entity';
import { ConfigurationEntity } from './providers/configuration.entity';
import { SenderDomainsEntity } from './providers/sender-domains.entity';

/** Every entity of the schema `messaging`; messages and deliveries have statements. */
export const MESSAGING_ENTITIES = [ConfigurationEntity, SenderDomainsEntity, BulkJobEntity];
