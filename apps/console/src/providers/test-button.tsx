import { useMutation } from '@tanstack/react-query';
import { useMissingScope } from '../api/session';
import { providers as words } from '../screen-texts/providers';
import { Action, ActionBar } from '../ui/action';
import styles from '../ui/action.module.css';
import { Badge } from '../ui/status';
import { testProvider } from './queries';

/** Tests the credentials of a provider, and shows what it answered. `of` is named to those who do not see the row. */
export function TestButton({ id, of }: { id: string; of?: string }) {
  const missing = useMissingScope('write:providers');
  const test = useMutation({ mutationFn: () => testProvider(id) });
  return (
    <ActionBar>
      <Action
        name={words.test}
        label={of && words.testOf(of)}
        missing={missing}
        hint={words.testHint}
        isOff={test.isPending}
        onPress={() => test.mutate()}
      />
      <p role="status" className={styles.result}>
        {test.isPending && words.testing}
        {test.data && <Badge tone={test.data.ok ? 'good' : 'bad'}>{test.data.ok ? words.testOk : words.testFailed}</Badge>}{' '}
        {test.data?.message}
        {test.error?.message}
      </p>
    </ActionBar>
  );
}
