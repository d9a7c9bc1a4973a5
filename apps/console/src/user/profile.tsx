import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { answerOf, api } from '../api/client';
import { useMissingScope } from '../api/session';
import { texts } from '../texts';
import { curl } from '../ui/curl';
import { EditForm } from '../ui/edit-form';
import { Empty } from '../ui/empty';
import { JsonField } from '../ui/json-field';
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
  return <Empty title={texts.user.noProfile} hint={texts.user.noProfileHint} command={command} />;
}

function Editor({ userId, profile }: { userId: string; profile: Record<string, unknown> }) {
  const [changed, setChanged] = useState<Record<string, unknown> | undefined>(profile);
  const missing = useMissingScope('write:profiles');
  const save = useMutation({
    mutationFn: (body: { profile: Record<string, unknown> }) =>
      answerOf(api.PUT('/profiles/{user_id}', { params: { path: { user_id: userId } }, body })),
  });
  return (
    <Section title={texts.user.tabs.profile}>
      <EditForm
        save={texts.user.save}
        saved={texts.user.saved}
        action={save}
        missing={missing}
        isErrorShown
        onSubmit={() => changed && save.mutate({ profile: changed })}
      >
        <JsonField
          label={texts.user.edit}
          initial={profile}
          error={save.error}
          isReadOnly={missing !== undefined}
          onChange={(value) => {
            setChanged(value);
            save.reset();
          }}
        />
      </EditForm>
    </Section>
  );
}
