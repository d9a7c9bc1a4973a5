import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import type { Message } from '../api/types';
import { messageQuery } from '../message/queries';
import { compare as words } from '../screen-texts/compare';
import { Empty } from '../ui/empty';
import { Heading } from '../ui/heading';
import { LiveField } from '../ui/live-field';
import { Loaded } from '../ui/loaded';
import { Section } from '../ui/section';
import { type ComparedParts, lastArrivedQuery, partsQuery } from './queries';
import { SideBySide } from './side-by-side';

const route = getRouteApi('/messages/$messageId/compare');
const PARTS = Object.entries(words.parts) as [keyof ComparedParts, string][];

/** Two messages side by side: that of the path, and the one that the address names, or the last of its template that arrived. */
export function CompareScreen() {
  const { messageId } = route.useParams();
  const query = useQuery({ ...messageQuery(messageId), refetchInterval: false });
  return (
    <>
      <Heading title={words.title(messageId)} />
      <Loaded query={query}>{(message) => <Chosen message={message} />}</Loaded>
    </>
  );
}

function Chosen({ message }: { message: Message }) {
  const { with: named } = route.useSearch();
  const navigate = useNavigate();
  const offered = useQuery(lastArrivedQuery(message));
  const other = named ?? offered.data ?? undefined;
  const choose = (text: string) =>
    void navigate({ to: '.', replace: true, resetScroll: false, search: (earlier) => ({ ...earlier, with: text.trim() || undefined }) });
  return (
    <>
      <p className="quiet">{words.offered}</p>
      <LiveField label={words.other} value={other ?? ''} onSettle={choose} />
      {other === undefined ? (
        <Loaded query={offered}>{() => <Empty title={words.none} hint={words.noneHint} />}</Loaded>
      ) : (
        <Both key={other} left={message.id} right={other} />
      )}
    </>
  );
}

function Both({ left, right }: { left: string; right: string }) {
  const one = useQuery(partsQuery(left));
  const other = useQuery(partsQuery(right));
  return (
    <>
      <p>
        {[left, right].map((id, index) => (
          <span key={index}>
            {index === 0 ? words.left : words.right}:{' '}
            <Link to="/messages/$messageId" params={{ messageId: id }}>
              {id}
            </Link>{' '}
          </span>
        ))}
      </p>
      <Loaded query={one}>
        {(ofOne) => (
          <Loaded query={other}>
            {(ofOther) =>
              PARTS.map(([part, title]) => (
                <Section key={part} title={title}>
                  <SideBySide name={title} left={ofOne[part]} right={ofOther[part]} />
                </Section>
              ))
            }
          </Loaded>
        )}
      </Loaded>
    </>
  );
}
