import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { contentSecrets } from '@tidings/contracts/content/secrets';
import type { CallContext } from '@tidings/contracts/core/context';
import type { ResealSecrets } from '@tidings/contracts/core/reseal';
import { Database } from '@tidings/persistence/database';
import { Handles } from '@tidings/rpc/handles';
import { OverrideSecrets } from '@tidings/runtime/override-secrets';
import { Resealing } from '@tidings/runtime/resealing';
import { sealedSettings } from './sealed-settings';

/** Seals the secrets of content again: values in overrides of routing strategies and of tenants' templates. */
@Handles(contentSecrets)
export class SecretsHandlers implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly resealing = new Resealing(this.database, this.secrets.keyId, [
    sealedSettings(this.database, this.secrets, { table: 'routing_strategies', ids: { strategy_id: 'text' } }),
    sealedSettings(this.database, this.secrets, {
      table: 'tenant_template_versions',
      ids: { tenant_id: 'text', template_id: 'text', version: 'integer' },
    }),
  ]);

  constructor(
    private readonly database: Database,
    private readonly secrets: OverrideSecrets,
  ) {}

  onApplicationBootstrap(): void {
    this.resealing.start();
  }

  onApplicationShutdown(): Promise<void> {
    return this.resealing.stop();
  }

  reseal(_context: CallContext, request: ResealSecrets) {
    return this.resealing.step(request);
  }
}
