import { contentSecrets } from '@tidings/contracts/content/secrets';
import { CallJournal } from '@tidings/persistence/call-journal';
import { Database } from '@tidings/persistence/database';
import { Handles } from '@tidings/rpc/handles';
import { OverrideSecrets } from '@tidings/runtime/override-secrets';
import { Resealing } from '@tidings/runtime/resealing';
import { sealedSettings } from './sealed-settings';

/** Seals the secrets of content again: values in overrides of routing strategies and of tenants' templates. */
@Handles(contentSecrets)
export class SecretsHandlers extends Resealing {
  protected readonly tables = [
    sealedSettings(this.database, this.secrets, { table: 'routing_strategies', ids: { strategy_id: 'text' } }),
    sealedSettings(this.database, this.secrets, {
      table: 'tenant_template_versions',
      ids: { tenant_id: 'text', template_id: 'text', version: 'integer' },
    }),
  ];

  constructor(
    private readonly database: Database,
    private readonly secrets: OverrideSecrets,
    journal: CallJournal,
  ) {
    super({ database, journal, keyId: secrets.keyId, pattern: contentSecrets.reseal.pattern });
  }
}
