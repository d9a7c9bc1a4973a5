import { randomUUID } from 'node:crypto';
import { audienceMembers } from '@tidings/contracts/audience/audience-members';
import { type ListMembersPage, listMembers } from '@tidings/contracts/audience/list-members';
import type { CallContext } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import type { Operation } from '@tidings/contracts/core/operation';
import { memberships, tenantMembers } from '@tidings/contracts/identity/tenant-members';
import type { MessageRequested } from '@tidings/contracts/messaging/events';
import type { MembershipFilter, Target } from '@tidings/contracts/messaging/targets';
import type { Transaction } from '@tidings/persistence/database';
import type { OperationClient } from '@tidings/rpc/operation-client';
import type { JobPages } from '../bulk/job-pages';
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
    const shared = { ...(data && { data }), ...(preferences && { preferences }) };
    switch (target.kind) {
      case 'user': {
        const { userId, recipient, profile } = target;
        return {
          recipients: [
            { ...shared, recipient, profile, ...(userId !== undefined && { userId }), ...(tenantId !== undefined && { tenantId }) },
          ],
        };
      }
      case 'list':
      case 'pattern': {
        const paging = { limit, ...(cursor !== undefined && { cursor }) };
        const loading =
          target.kind === 'list'
            ? this.call(listMembers.ofList, workspaceId, { list_id: target.listId, ...paging })
            : this.call(listMembers.ofPattern, workspaceId, { pattern: target.pattern, ...paging });
        const page = await loading;
        const users = await this.members(
          workspaceId,
          page.members.map(({ user_id }) => user_id),
          target.filters,
        );
        return {
          recipients: subscribers(page)
            .filter(({ userId }) => users.has(userId))
            .map((one) => ({ ...shared, ...one, ...(tenantId !== undefined && { tenantId }) })),
          ...(users.size === 0 && reasonForNone(page.found, page.members.length)),
          ...(page.more && page.cursor !== undefined && { next: page.cursor }),
        };
      }
      case 'audience': {
        const page = await this.call(audienceMembers.ofAudience, workspaceId, {
          audience_id: target.audienceId,
          limit,
          ...(cursor !== undefined && { after: cursor }),
        });
        const users = await this.members(workspaceId, page.user_ids, target.filters);
        return {
          recipients: [...users].map((userId) => ({ ...shared, userId, recipient: userId, ...(tenantId !== undefined && { tenantId }) })),
          ...(users.size === 0 && reasonForNone(page.found, page.user_ids.length)),
          ...(page.next !== undefined && { next: page.next }),
        };
      }
      case 'tenant': {
        const page = await this.call(tenantMembers.load, workspaceId, {
          tenant_id: target.tenantId,
          include_children: target.includeChildren,
          limit,
          ...(cursor !== undefined && { cursor }),
        });
        return {
          recipients: page.members.map(({ user_id, tenant_id }) => ({
            ...shared,
            userId: user_id,
            recipient: user_id,
            tenantId: tenant_id,
          })),
          ...(page.members.length === 0 && reasonForNone(page.found, 0)),
          ...(page.more && page.cursor !== undefined && { next: page.cursor }),
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
      const { belongs } = await this.call(memberships.check, workspaceId, {
        memberships: remaining.map((user_id) => ({ user_id, tenant_id })),
      });
      remaining = remaining.filter((_user, index) => belongs[index]);
    }
    return new Set(remaining);
  }

  /** Rejects with `unavailable`, so that the page is retried, unless the other service refuses the request as such. */
  private async call<Request extends object, Response extends object>(
    operation: Operation<Request, Response>,
    workspaceId: string,
    request: Request,
  ): Promise<Response> {
    try {
      return (await this.client.call(operation, contextOf(workspaceId), request)) as Response;
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code === 'invalid_request' || error.code === 'not_found') throw error;
      throw new ServiceError('unavailable', `${operation.pattern} is unavailable: ${error.message}`);
    }
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
    const list = { id: list_id, ...(preferences && { preferences }), ...(subscription && { subscription }) };
    return { userId: user_id, recipient: user_id, list };
  });
}

function contextOf(workspaceId: string): CallContext {
  return { workspaceId, scopes: ['*'], mode: 'production', callId: randomUUID() };
}
