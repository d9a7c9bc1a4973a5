import { useQuery } from '@tanstack/react-query';
import { answerOf, api } from '../api/client';
import { user as words } from '../screen-texts/user';
import { curl } from '../ui/curl';
import { Empty } from '../ui/empty';
import { JsonForm } from '../ui/json-form';
import { Loaded } from '../ui/loaded';
import { Section } from '../ui/section';
import { profilePath } from './paths';
import { profileQuery } from './queries';

/** The profile as it is stored, to be changed as JSON. */
export function ProfileView({ userId }: { userId: string }) {
  const query = useQuery({ ...profileQuery(userId), refetchOnWindowFocus: false });
  return (
    <Loaded query={query}>{(profile) => (profile ? <Editor userId={userId} profile={profile} /> : <NoProfile userId={userId} />)}</Loaded>
  );
}

function NoProfile({ userId }: { userId: string }) {
  const command = curl('PUT', profilePath(userId), { profile: { email: 'ada@example.com', name: 'Ada' } });
  return <Empty title={words.noProfile} hint={words.noProfileHint} command={command} />;
}

function Editor({ userId, profile }: { userId: string; profile: Record<string, unknown> }) {
  const store = (body: { profile: Record<string, unknown> }) =>
    answerOf(api.PUT('/profiles/{user_id}', { params: { path: { user_id: userId } }, body }));
  return (
    <Section title={words.tabs.profile}>
      <JsonForm
        label={words.edit}
        value={profile}
        submit={words.save}
        scope="write:profiles"
        onSave={(changed) => store({ profile: changed })}
      />
    </Section>
  );
}
