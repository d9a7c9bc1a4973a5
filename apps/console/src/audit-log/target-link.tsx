import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { AuditEvent } from '../api/types';

/** Of users who were erased: their ids are known no more. */
const ERASED = 'erased:';

/** A link to the page of what was changed, or `otherwise` where it has none. */
export function TargetLink({ event, text, otherwise }: { event: AuditEvent; text: string; otherwise: ReactNode }) {
  const { id } = event.target;
  const [resource] = event.type.split(':');
  if (typeof id !== 'string' || id.startsWith(ERASED)) return otherwise;
  switch (resource) {
    case 'api-key':
    case 'session':
      return (
        <Link to="/api-keys/$keyId" params={{ keyId: id }}>
          {text}
        </Link>
      );
    case 'notification':
      return (
        <Link to="/templates/$templateId" params={{ templateId: id }}>
          {text}
        </Link>
      );
    case 'provider':
      return (
        <Link to="/providers/$id" params={{ id }}>
          {text}
        </Link>
      );
    case 'user':
      return (
        <Link to="/users/$userId" params={{ userId: id }}>
          {text}
        </Link>
      );
    case 'webhook':
      return (
        <Link to="/webhooks/$id" params={{ id }}>
          {text}
        </Link>
      );
    default:
      return otherwise;
  }
}
