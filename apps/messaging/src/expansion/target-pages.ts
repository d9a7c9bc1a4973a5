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

/** What became of one recipient of a page. */
export interface RecipientEnd {
  readonly messageId: string;
  /** Why there is no message. */
  readonly error?: string;
}

/** A part of those a target stands for. */
export interface TargetPage {
  readonly recipients: readonly Derived[];
  /** Absent where there are recipients, and of a job. */
  readonly noRecipients?: NoRecipients;
  /** Keeps what became of them, in their order, where whoever is behind the target wants to know. */
  readonly settle?: (tx: Transaction, ends: readonly RecipientEnd[], isLast: boolean) => Promise<void>;
  /** Where the next page begins; absent after the last. */
  readonly next?: string;
}

/** Asks who is behind a target, page by page. */
export class TargetPages {
  constructor(
    private readonly client: OperationClient,
    private readonly jobs: JobPages,
  ) {}

  /**
   * The page at `cursor` (undefined: the first). Of what is not there, or not any more, it is empty and the last. Rejects with
   * `unavailable` while another service cannot answer.
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
        const asked =
          target.kind === 'list'
            ? this.ask(listMembers.ofList, workspaceId, { list_id: target.listId, ...paging })
            : this.ask(listMembers.ofPattern, workspaceId, { pattern: target.pattern, ...paging });
        const page = await asked;
        const users = await this.members(
          workspaceId,
          page.members.map(({ user_id }) => user_id),
          target.filters,
        );
        return {
          recipients: subscribers(page)
            .filter(({ userId }) => users.has(userId))
            .map((one) => ({ ...shared, ...one, ...(tenantId !== undefined && { tenantId }) })),
          ...(users.size === 0 && whyNone(page.found, page.members.length)),
          ...(page.more && page.cursor !== undefined && { next: page.cursor }),
        };
      }
      case 'audience': {
        const page = await this.ask(audienceMembers.ofAudience, workspaceId, {
          audience_id: target.audienceId,
          limit,
          ...(cursor !== undefined && { after: cursor }),
        });
        const users = await this.members(workspaceId, page.user_ids, target.filters);
        return {
          recipients: [...users].map((userId) => ({ ...shared, userId, recipient: userId, ...(tenantId !== undefined && { tenantId }) })),
          ...(users.size === 0 && whyNone(page.found, page.user_ids.length)),
          ...(page.next !== undefined && { next: page.next }),
        };
      }
      case 'tenant': {
        const page = await this.ask(tenantMembers.load, workspaceId, {
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
          ...(page.members.length === 0 && whyNone(page.found, 0)),
          ...(page.more && page.cursor !== undefined && { next: page.cursor }),
        };
      }
      case 'job':
        return this.jobs.page(request, target.jobId, cursor);
    }
  }

  /** Those of the users, in their order, who belong to each of the tenants: now, whatever the target, and where there is such a tenant. */
  private async members(workspaceId: string, users: readonly string[], filters: readonly MembershipFilter[] = []): Promise<Set<string>> {
    let left = [...users];
    for (const { value: tenant_id } of filters) {
      if (left.length === 0) break;
      const { belongs } = await this.ask(memberships.check, workspaceId, { memberships: left.map((user_id) => ({ user_id, tenant_id })) });
      left = left.filter((_user, index) => belongs[index]);
    }
    return new Set(left);
  }

  /** That another service fails is no fault of the request: unless it refuses the question, it is asked again. */
  private async ask<Request extends object, Response extends object>(
    operation: Operation<Request, Response>,
    workspaceId: string,
    request: Request,
  ): Promise<Response> {
    try {
      return (await this.client.call(operation, contextOf(workspaceId), request)) as Response;
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code === 'invalid_request' || error.code === 'not_found') throw error;
      throw new ServiceError('unavailable', `${operation.pattern} cannot be answered now: ${error.message}`);
    }
  }
}

/** Of a page without recipients, from how many members it had before the filters. */
function whyNone(found: boolean, members: number): Pick<TargetPage, 'noRecipients'> {
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
