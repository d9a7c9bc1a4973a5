import { InjectRepository } from '@nestjs/typeorm';
import type { CallContext } from '@tidings/contracts/core/context';
import { invalid, invalidValue } from '@tidings/contracts/core/refusals';
import { toMailDomain } from '@tidings/contracts/messaging/mailbox';
import { type ReplaceSenders, senders } from '@tidings/contracts/messaging/senders';
import { transactionOf } from '@tidings/persistence/database';
import { Handles } from '@tidings/rpc/handles';
import { type EntityManager, Repository } from 'typeorm';
import { DEFAULT_INTEGRATION_ID, ProviderChanges } from './provider-configurations';
import { SenderDomains } from './sender-domains';
import { SenderDomainsEntity } from './sender-domains.entity';

@Handles(senders)
export class SendersHandlers {
  constructor(
    @InjectRepository(SenderDomainsEntity) private readonly rows: Repository<SenderDomainsEntity>,
    private readonly senders: SenderDomains,
    private readonly changes: ProviderChanges,
  ) {}

  async retrieve({ workspaceId }: CallContext) {
    return this.answer((await this.rows.findOneBy({ workspaceId }))?.domains ?? null);
  }

  async replace({ workspaceId }: CallContext, { domains, ...rest }: ReplaceSenders, tx: EntityManager) {
    rest satisfies Record<string, never>;
    if (domains === undefined) throw invalid('domains is required: an array, or null for the domains of the installation');
    const own = domains && [...new Set(domains.map(toDomain))];
    if (own) await tx.upsert(SenderDomainsEntity, { workspaceId, domains: own }, ['workspaceId']);
    else await tx.delete(SenderDomainsEntity, { workspaceId });
    await this.changes.publish(transactionOf(tx), { workspaceId, id: DEFAULT_INTEGRATION_ID });
    return this.answer(own);
  }

  async allowed({ workspaceId }: CallContext) {
    return { allowed: await this.senders.allowedToSends(workspaceId) };
  }

  private answer(domains: string[] | null) {
    return { domains, allowed: this.senders.allowedWith(domains) };
  }
}

function toDomain(text: string, index: number) {
  const domain = toMailDomain(text);
  if (domain === undefined) throw invalidValue(`domains[${index}]`, 'a domain such as example.com', text);
  return domain;
}
