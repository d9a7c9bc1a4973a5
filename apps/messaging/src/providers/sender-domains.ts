import { Inject, Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { isJsonObject, type JsonObject } from '@tidings/contracts/core/deep-merge';
import { type GivenSender, senderRefusal } from '@tidings/contracts/messaging/given-sender';
import { domainOf, parseMailbox } from '@tidings/contracts/messaging/mailbox';
import type { Rendered } from '@tidings/providers/rendered';
import { In, Repository } from 'typeorm';
import { ChangeCache } from '../change-cache';
import {
  DEFAULT_INTEGRATION_ID,
  DEFAULT_PROVIDERS,
  type EmailProvider,
  ProviderChanges,
  ProviderConfigurations,
} from './provider-configurations';
import { SenderDomainsEntity } from './sender-domains.entity';

/** Workspaces whose domains are cached. */
const WORKSPACES_MAX = 1_000;

/** Injects the domains of workspaces without a list of their own; undefined: any. */
export const SENDER_DOMAINS = Symbol('SenderDomains');

/** From which domains a workspace may send with the default e-mail provider. A change applies in every process within a second. */
@Injectable()
export class SenderDomains {
  /** That of the default sender is always allowed. */
  private readonly always = this.providers.flatMap(({ from }) => (from ? [domainOf(from)] : []));
  private readonly cache = new ChangeCache({
    changes: this.changes,
    concerns: ({ id }) => id === DEFAULT_INTEGRATION_ID,
    nameOf: ({ workspace_id }: { workspace_id: string }) => workspace_id,
    load: (keys) => this.load(keys.map(({ workspace_id }) => workspace_id)),
    limits: { max: WORKSPACES_MAX },
  });

  constructor(
    @InjectRepository(SenderDomainsEntity) private readonly rows: Repository<SenderDomainsEntity>,
    private readonly changes: ProviderChanges,
    private readonly configurations: ProviderConfigurations,
    @Inject(DEFAULT_PROVIDERS) private readonly providers: readonly EmailProvider[],
    @Inject(SENDER_DOMAINS) private readonly ofInstallation: readonly string[] | undefined,
  ) {}

  /** The domains of a workspace with this list, or with none; `null`: any. */
  allowedWith(own: readonly string[] | null): string[] | null {
    const domains = own ?? this.ofInstallation;
    return domains ? [...new Set([...this.always, ...domains])] : null;
  }

  /** As `allowedIn`, for a send before its provider is known: any where the workspace has an e-mail provider of its own. */
  async allowedToSends(workspaceId: string): Promise<string[] | null> {
    const configured = await this.configurations.of(workspaceId);
    return configured.some(({ id }) => id === DEFAULT_INTEGRATION_ID) ? this.allowedIn(workspaceId) : null;
  }

  /** The domains from which the workspace may send with the default provider; `null`: any. */
  async allowedIn(workspaceId: string): Promise<string[] | null> {
    const found = await this.cache.find([{ workspace_id: workspaceId }]);
    return found.get(workspaceId)!;
  }

  /** Why the default provider must not send the mail; undefined if it may. Costs nothing for mails without a sender of their own. */
  refusalOf(workspaceId: string, rendered: Rendered, override?: JsonObject): Promise<string | undefined> | undefined {
    const config = override?.config;
    const value = rendered.kind === 'email' ? (rendered.email.from ?? (isJsonObject(config) ? config.from_address : undefined)) : undefined;
    const from = typeof value === 'string' ? parseMailbox(value) : undefined;
    // The provider refuses an invalid one.
    return from && this.check(workspaceId, { path: 'from', value: value as string, domain: domainOf(from) });
  }

  private async check(workspaceId: string, sender: GivenSender) {
    return senderRefusal(sender, await this.allowedIn(workspaceId));
  }

  private async load(workspaceIds: readonly string[]) {
    const rows = await this.rows.findBy({ workspaceId: In(workspaceIds) });
    return workspaceIds.map((id) => this.allowedWith(rows.find(({ workspaceId }) => workspaceId === id)?.domains ?? null));
  }
}
