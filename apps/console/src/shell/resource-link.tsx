import { Link, linkOptions } from '@tanstack/react-router';
import type { ReactNode } from 'react';

/** The pages of resources, by their kind in decisions and audit events. */
const PAGES = {
  'api-key': (keyId: string) => linkOptions({ to: '/api-keys/$keyId', params: { keyId } }),
  audience: (audienceId: string) => linkOptions({ to: '/audiences/$audienceId', params: { audienceId } }),
  brand: (brandId: string) => linkOptions({ to: '/brands/$brandId', params: { brandId } }),
  'bulk-job': (jobId: string) => linkOptions({ to: '/bulk-jobs/$jobId', params: { jobId } }),
  list: (listId: string) => linkOptions({ to: '/lists/$listId', params: { listId } }),
  notification: (templateId: string) => linkOptions({ to: '/templates/$templateId', params: { templateId } }),
  'preference-section': (sectionId: string) => linkOptions({ to: '/preferences/$sectionId', params: { sectionId } }),
  'preference-topic': (topicId: string) => linkOptions({ to: '/preferences/topics/$topicId', params: { topicId } }),
  preferences: () => linkOptions({ to: '/preferences' }),
  provider: (id: string) => linkOptions({ to: '/providers/$id', params: { id } }),
  request: (traceId: string) => linkOptions({ to: '/messages', search: { traceId } }),
  'routing-strategy': (strategyId: string) => linkOptions({ to: '/routing-strategies/$strategyId', params: { strategyId } }),
  session: (keyId: string) => linkOptions({ to: '/api-keys/$keyId', params: { keyId } }),
  template: (templateId: string) => linkOptions({ to: '/templates/$templateId', params: { templateId } }),
  tenant: (tenantId: string) => linkOptions({ to: '/messages', search: { tenant_id: tenantId } }),
  topic: (topicId: string) => linkOptions({ to: '/preferences/topics/$topicId', params: { topicId } }),
  translation: (id: string) => {
    const [domain = '', locale = ''] = id.split('/');
    return linkOptions({ to: '/translations/$domain/$locale', params: { domain, locale } });
  },
  user: (userId: string) => linkOptions({ to: '/users/$userId', params: { userId } }),
  webhook: (id: string) => linkOptions({ to: '/webhooks/$id', params: { id } }),
};

interface ResourceLinkProps {
  kind: string;
  id: string;
  children: ReactNode;
}

/** A link to the page of a resource, or to the messages with it; only its name where it has neither. */
export function ResourceLink({ kind, id, children }: ResourceLinkProps) {
  if (!Object.hasOwn(PAGES, kind)) return children;
  return <Link {...PAGES[kind as keyof typeof PAGES](id)}>{children}</Link>;
}
