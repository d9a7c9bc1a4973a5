import { getRouteApi } from '@tanstack/react-router';
import { MessageList } from '../messages/message-list';
import { texts } from '../texts';
import { curl } from '../ui/curl';
import { Empty } from '../ui/empty';
import { Heading } from '../ui/heading';
import { Views } from '../ui/views';
import { ListsView } from './lists';
import { PreferencesView } from './preferences';
import { ProfileView } from './profile';
import { TenantsView } from './tenants';
import { TokensView } from './tokens';

const route = getRouteApi('/users/$userId');
const { tabs } = texts.user;
type View = keyof typeof tabs;
const VIEWS = Object.entries(tabs) as [View, string][];

/** What is stored of a user, and what was sent to them. The address names the view. */
export function UserScreen() {
  const { userId } = route.useParams();
  const { view } = route.useSearch();
  const current = VIEWS.find(([id]) => id === view)?.[0] ?? 'profile';
  return (
    <>
      <Heading title={userId} />
      <Views name={texts.user.views} field="view" views={VIEWS} current={current} />
      <Shown key={userId} view={current} userId={userId} />
    </>
  );
}

function Shown({ view, userId }: { view: View; userId: string }) {
  const { cursor, since, tenant } = route.useSearch();
  if (view === 'messages')
    return <MessageList filter={{ recipient: userId }} cursor={cursor} since={since} empty={<NoMessages userId={userId} />} />;
  if (view === 'tokens') return <TokensView userId={userId} />;
  if (view === 'preferences') return <PreferencesView userId={userId} tenant={tenant} />;
  if (view === 'lists') return <ListsView userId={userId} cursor={cursor} />;
  if (view === 'tenants') return <TenantsView userId={userId} cursor={cursor} />;
  return <ProfileView userId={userId} />;
}

function NoMessages({ userId }: { userId: string }) {
  const message = { to: { user_id: userId }, content: { title: 'Hello', body: 'It works' } };
  return <Empty title={texts.user.noMessages} hint={texts.user.noMessagesHint} command={curl('POST', '/send', { message })} />;
}
