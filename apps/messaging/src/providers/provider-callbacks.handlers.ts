import { InjectRepository } from '@nestjs/typeorm';
import type { CallContext } from '@tidings/contracts/core/context';
import { deepMerge } from '@tidings/contracts/core/deep-merge';
import { unavailable } from '@tidings/contracts/core/errors';
import { notFound } from '@tidings/contracts/core/refusals';
import { type CallbackSettings, type FindCallback, providerCallbacks } from '@tidings/contracts/messaging/provider-callbacks';
import { callbackOf } from '@tidings/providers/callbacks';
import { Handles } from '@tidings/rpc/handles';
import { Repository } from 'typeorm';
import { CallbackAddresses } from './callback-addresses';
import { ConfigurationEntity } from './configuration.entity';
import { ProviderSecrets } from './provider-secrets';

/** Finds the configuration of a callback address for the gateway, which verifies what comes to it. */
@Handles(providerCallbacks)
export class ProviderCallbacksHandlers {
  constructor(
    @InjectRepository(ConfigurationEntity) private readonly rows: Repository<ConfigurationEntity>,
    private readonly addresses: CallbackAddresses,
    private readonly secrets: ProviderSecrets,
  ) {}

  async find(_context: CallContext, { provider, configuration_id: id, secret }: FindCallback): Promise<CallbackSettings> {
    const callback = callbackOf(provider);
    const workspaceId = callback && (await this.addresses.workspaceOf(id, secret));
    const row = workspaceId === undefined ? null : await this.rows.findOneBy({ workspaceId, id, provider });
    if (!row || !callback) throw notFound('There is no such callback address');
    const opened = this.secrets.open(row);
    // Vendors repeat what is answered with 503: nothing is lost until the key is back.
    if (!opened)
      throw unavailable(`The secrets of provider configuration ${id} were sealed with a key that TIDINGS_SECRET_KEY does not hold`);
    const all = deepMerge(row.settings, opened);
    const settings = Object.fromEntries(callback.settings.flatMap((name) => (all[name] === undefined ? [] : [[name, all[name]] as const])));
    return { workspace_id: row.workspaceId, settings };
  }
}
