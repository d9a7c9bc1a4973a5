import { Injectable } from '@nestjs/common';
import { audienceMembers } from '@tidings/contracts/audience/audience-members';
import { type ListMembersPage, listMembers } from '@tidings/contracts/audience/list-members';
import { memberships, tenantMembers } from '@tidings/contracts/identity/tenant-members';
import type { MessageRequested } from '@tidings/contracts/messaging/events';
import type { MembershipFilter, Target } from '@tidings/contracts/messaging/targets';
import type { Transaction } from '@tidings/persistence/database';
import { OperationClient } from '@tidings/rpc/operation-client';
import { JobPages } from '../bulk/job-pages';
import { callService } from '../service-calls';
import type { Derived } from './derive';
import type { NoRecipients } from './no-recipients';
import { recipientsAtOnce } from './page-size';

/** The result for one recipient of a page. */
export interface RecipientEnd {
  readonly messageId: string;
  /** Why no message was created. */
  readonly error?: string;
}

/** One page of the recipients of a target. */
export interface TargetPage {
  readonly recipients: readonly Derived[];
  /** Why the page has no recipients; absent where it has some, and for jobs. */
  readonly noRecipients?: NoRecipients;
  /** Stores the results of the recipients, in their order; only bulk jobs have it. */
  readonly settle?: (tx: Transaction, ends: readonly RecipientEnd[], isLast: boolean) => Promise<void>;
  /** Cursor of the next page; absent on the last page. */
  readonly next?: string;
}

type Member = Pick<Derived, 'tenantId' | 'list'> & { userId: string };

/** One page of the members of a target, before its filters. */
interface MembersPage {
  /** Whether the target exists. */
  found: boolean;
  members: Member[];
  next?: string;
}

/** Loads the recipients of a target page by page. */
@Injectable()
export class TargetPages {
  constructor(
    private readonly client: OperationClient,
    private readonly jobs: JobPages,
  ) {}

  /**
   * The page at `cursor` (undefined: the first). An unknown or deleted target has an empty last page. Rejects with `unavailable`
   * while another service is unavailable.
   */
  async page(request: MessageRequested, target: Target, cursor: string | undefined): Promise<TargetPage> {
    if (target.kind === 'job') return this.jobs.page(request, target.jobId, cursor);
    const { data, preferences, tenantId } = target;
    const shared = { data, preferences, tenantId };
    if (target.kind === 'user') {
      const { userId, recipient, profile } = target;
      return { recipients: [{ ...shared, recipient, profile, userId }] };
    }
    const { workspaceId } = request;
    const { found, members, next } = await this.members(workspaceId, target, recipientsAtOnce(request), cursor);
    const matching = await this.filtered(workspaceId, members, 'filters' in target ? target.filters : []);
    const noRecipients = members.length > 0 ? 'filtered' : found ? 'empty' : 'missing';
    return {
      recipients: matching.map((member) => ({ ...shared, ...member, recipient: member.userId })),
      ...(matching.length === 0 && { noRecipients }),
      next,
    };
  }

  private async members(
    workspaceId: string,
    target: Exclude<Target, { kind: 'user' | 'job' }>,
    limit: number,
    cursor: string | undefined,
  ): Promise<MembersPage> {
    const paging = { limit, cursor };
    switch (target.kind) {
      case 'list':
        return subscribers(await callService(this.client, listMembers.ofList, { list_id: target.listId, ...paging }, workspaceId));
      case 'pattern':
        return subscribers(await callService(this.client, listMembers.ofPattern, { pattern: target.pattern, ...paging }, workspaceId));
      case 'audience': {
        const query = { audience_id: target.audienceId, limit, after: cursor };
        const { found, user_ids, next } = await callService(this.client, audienceMembers.ofAudience, query, workspaceId);
        return { found, members: user_ids.map((userId) => ({ userId })), next };
      }
      case 'tenant': {
        const query = { tenant_id: target.tenantId, include_children: target.includeChildren, ...paging };
        const { found, members, more, cursor: next } = await callService(this.client, tenantMembers.load, query, workspaceId);
        return {
          found,
          members: members.map(({ user_id: userId, tenant_id: tenantId }) => ({ userId, tenantId })),
          next: more ? next : undefined,
        };
      }
    }
  }

  /** The members that currently belong to every tenant of the filters; an unknown tenant has no members. */
  private async filtered(workspaceId: string, members: readonly Member[], filters: readonly MembershipFilter[] = []): Promise<Member[]> {
    let remaining = [...members];
    for (const { value: tenant_id } of filters) {
      if (remaining.length === 0) break;
      const query = remaining.map(({ userId: user_id }) => ({ user_id, tenant_id }));
      const { belongs } = await callService(this.client, memberships.check, { memberships: query }, workspaceId);
      remaining = remaining.filter((_user, index) => belongs[index]);
    }
    return remaining;
  }
}

function subscribers({ found, members, lists, more, cursor }: ListMembersPage): MembersPage {
  const preferencesOf = new Map(lists.map(({ list_id, preferences }) => [list_id, preferences]));
  const subscribed = members.map(({ user_id: userId, list_id: id, preferences: subscription }) => {
    return { userId, list: { id, preferences: preferencesOf.get(id), subscription } };
  });
  return { found, members: subscribed, next: more ? cursor : undefined };
}
