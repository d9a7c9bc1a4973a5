import { getRouteApi } from '@tanstack/react-router';
import { MessageList } from '../messages/message-list';
import { user as words } from '../screen-texts/user';
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
const { tabs } = words;
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
      <Views name={words.views} field="view" views={VIEWS} current={current} />
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
  return <Empty title={words.noMessages} hint={words.noMessagesHint} command={curl('POST', '/send', { message })} />;
}
