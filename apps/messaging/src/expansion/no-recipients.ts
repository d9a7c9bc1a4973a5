import type { Target } from '@tidings/contracts/messaging/targets';

/** Why a target has no recipients: it does not exist, it has no members, or no member meets the filters. */
export type NoRecipients = 'missing' | 'empty' | 'filtered';

/** Targets that an error names; reasons of further targets are not stored. */
export const NAMED_MAX = 5;

/** The error of a request without recipients: one reason per target. `reasons` are in the order of the targets. */
export function noRecipientsError(targets: readonly Target[], reasons: readonly NoRecipients[]): string {
  const [first = '', ...others] = targets.slice(0, NAMED_MAX).map((target, index) => sentenceOf(target, reasons[index] ?? 'empty'));
  const further = targets.length - NAMED_MAX;
  const more = further > 0 ? [`and ${further} more ${further === 1 ? 'target has' : 'targets have'} no recipients`] : [];
  return [first, ...others.map((sentence) => sentence[0]!.toLowerCase() + sentence.slice(1)), ...more].join('; ');
}

function sentenceOf(target: Target, reason: NoRecipients): string {
  const { name, members, isPlural, missing } = wordsOf(target);
  switch (reason) {
    case 'missing':
      return missing;
    case 'empty':
      return `The ${name} ${isPlural ? 'have' : 'has'} no ${members}s`;
    case 'filtered':
      return `No ${members} of the ${name} meets the filters`;
  }
}

interface Words {
  readonly name: string;
  /** The word for one member of the target, in the singular. */
  readonly members: string;
  readonly isPlural?: boolean;
  readonly missing: string;
}

function wordsOf(target: Target): Words {
  switch (target.kind) {
    case 'list':
      return singular('list', target.listId, 'subscriber');
    case 'pattern': {
      const pattern = `the pattern ${JSON.stringify(target.pattern)}`;
      return { name: `lists that match ${pattern}`, members: 'subscriber', isPlural: true, missing: `No list matches ${pattern}` };
    }
    case 'audience':
      return singular('audience', target.audienceId, 'member');
    case 'tenant': {
      const tenant = singular('tenant', target.tenantId, 'member');
      return target.includeChildren ? { ...tenant, name: `${tenant.name} and its children`, isPlural: true } : tenant;
    }
    case 'job':
      return singular('bulk job', target.jobId, 'user');
    case 'user':
      return singular('user', target.recipient, 'address');
  }
}

function singular(kind: string, id: string, members: string): Words {
  const name = `${kind} ${JSON.stringify(id)}`;
  return { name, members, missing: `No ${name} exists` };
}
