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
    const { workspaceId } = request;
    const limit = recipientsAtOnce(request);
    const { data, preferences, tenantId } = target;
    const shared = { data, preferences, tenantId };
    switch (target.kind) {
      case 'user': {
        const { userId, recipient, profile } = target;
        return { recipients: [{ ...shared, recipient, profile, userId }] };
      }
      case 'list':
      case 'pattern': {
        const paging = { limit, cursor };
        const page = await (target.kind === 'list'
          ? callService(this.client, listMembers.ofList, { list_id: target.listId, ...paging }, workspaceId)
          : callService(this.client, listMembers.ofPattern, { pattern: target.pattern, ...paging }, workspaceId));
        const ids = page.members.map(({ user_id }) => user_id);
        const users = await this.members(workspaceId, ids, target.filters);
        return {
          recipients: subscribers(page)
            .filter(({ userId }) => users.has(userId))
            .map((one) => ({ ...shared, ...one })),
          ...(users.size === 0 && reasonForNone(page.found, ids.length)),
          next: page.more ? page.cursor : undefined,
        };
      }
      case 'audience': {
        const query = { audience_id: target.audienceId, limit, after: cursor };
        const page = await callService(this.client, audienceMembers.ofAudience, query, workspaceId);
        const users = await this.members(workspaceId, page.user_ids, target.filters);
        return {
          recipients: [...users].map((userId) => ({ ...shared, userId, recipient: userId })),
          ...(users.size === 0 && reasonForNone(page.found, page.user_ids.length)),
          next: page.next,
        };
      }
      case 'tenant': {
        const { includeChildren: include_children } = target;
        const query = { tenant_id: target.tenantId, include_children, limit, cursor };
        const page = await callService(this.client, tenantMembers.load, query, workspaceId);
        return {
          recipients: page.members.map(({ user_id, tenant_id }) => ({
            ...shared,
            userId: user_id,
            recipient: user_id,
            tenantId: tenant_id,
          })),
          ...(page.members.length === 0 && reasonForNone(page.found, 0)),
          next: page.more ? page.cursor : undefined,
        };
      }
      case 'job':
        return this.jobs.page(request, target.jobId, cursor);
    }
  }

  /** The users, in their order, that are currently members of every tenant of the filters; an unknown tenant has no members. */
  private async members(workspaceId: string, users: readonly string[], filters: readonly MembershipFilter[] = []): Promise<Set<string>> {
    let remaining = [...users];
    for (const { value: tenant_id } of filters) {
      if (remaining.length === 0) break;
      const query = remaining.map((user_id) => ({ user_id, tenant_id }));
      const { belongs } = await callService(this.client, memberships.check, { memberships: query }, workspaceId);
      remaining = remaining.filter((_user, index) => belongs[index]);
    }
    return new Set(remaining);
  }
}

/** Why a page has no recipients. `members`: how many it had before the filters. */
function reasonForNone(found: boolean, members: number): Pick<TargetPage, 'noRecipients'> {
  return { noRecipients: members > 0 ? 'filtered' : found ? 'empty' : 'missing' };
}

function subscribers({ members, lists }: ListMembersPage): (Derived & { userId: string })[] {
  const preferencesOf = new Map(lists.map(({ list_id, preferences }) => [list_id, preferences]));
  return members.map(({ user_id, list_id, preferences: subscription }) => {
    const preferences = preferencesOf.get(list_id);
    return { userId: user_id, recipient: user_id, list: { id: list_id, preferences, subscription } };
  });
}
