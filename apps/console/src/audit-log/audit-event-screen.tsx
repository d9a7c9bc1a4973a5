import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { AuditEvent } from '../api/types';
import { auditLog as words } from '../screen-texts/audit-log';
import { texts } from '../texts';
import { ActionBar } from '../ui/action';
import { Facts } from '../ui/facts';
import { Heading } from '../ui/heading';
import { Json } from '../ui/json';
import { Loaded } from '../ui/loaded';
import { Section } from '../ui/section';
import { Time } from '../ui/time';
import { actorText } from './actor';
import { auditEventQuery } from './queries';
import { TargetLink } from './target-link';

const route = getRouteApi('/audit-log/$eventId');
const { columns, facts } = words;

/** One change: who made it, by which operation, on what, and which fields it concerned. */
export function AuditEventScreen() {
  const { eventId } = route.useParams();
  const query = useQuery(auditEventQuery(eventId));
  return (
    <>
      <Heading title={query.data?.type ?? words.event} />
      <Loaded query={query}>{(event) => <Details event={event} />}</Loaded>
    </>
  );
}

function Details({ event }: { event: AuditEvent }) {
  const { auditEventId: id, timestamp, type, actor, target, operation, changes } = event;
  const names = (fields: readonly string[]) => fields.join(', ') || words.noFields;
  return (
    <>
      <ActionBar>
        <Link to="/audit-log" search={{ actor: actor.id }} className="button">
          {words.others.actor}
        </Link>
        {target.id && (
          <Link to="/audit-log" search={{ target: target.id }} className="button">
            {words.others.target}
          </Link>
        )}
      </ActionBar>
      <Facts
        facts={[
          [columns.time, <Time at={Date.parse(timestamp)} />],
          [
            columns.type,
            <Link to="/audit-log" search={{ type }}>
              {type}
            </Link>,
          ],
          [columns.actor, actorText(event)],
          [columns.target, target.id && <TargetLink event={event} />],
          [facts.email, target.email],
          [facts.operation, operation && <code>{operation}</code>],
          [facts.before, changes && names(changes.before)],
          [facts.after, changes && names(changes.after)],
          [facts.id, id],
        ]}
      />
      <Section title={texts.json}>
        <Json value={event} name={texts.json} />
      </Section>
    </>
  );
}
