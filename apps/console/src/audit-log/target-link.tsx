import type { ReactNode } from 'react';
import type { AuditEvent } from '../api/types';
import { ResourceLink } from '../shell/resource-link';

/** Of users who were erased: their ids are known no more. */
const ERASED = 'erased:';

/** A link to the page of what was changed, or its id alone where it has none. */
export function TargetLink({ event: { type, target } }: { event: AuditEvent }): ReactNode {
  const { id } = target;
  if (typeof id !== 'string' || id.startsWith(ERASED)) return id;
  return (
    <ResourceLink kind={type.split(':')[0]!} id={id}>
      {id}
    </ResourceLink>
  );
}
