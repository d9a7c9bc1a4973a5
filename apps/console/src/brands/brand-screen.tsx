import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Brand } from '../api/types';
import { brands as words } from '../screen-texts/brands';
import { Action, ActionBar } from '../ui/action';
import actionStyles from '../ui/action.module.css';
import { ConfirmDialog } from '../ui/confirm-dialog';
import { Facts } from '../ui/facts';
import { Heading } from '../ui/heading';
import { Loaded } from '../ui/loaded';
import { Badge } from '../ui/status';
import { Time } from '../ui/time';
import { BrandEditor } from './brand-editor';
import { brandQuery, DEFAULT_ID, makeDefault, removeBrand } from './queries';
import { useMissingBrandScope } from './scope';

const route = getRouteApi('/brands/$brandId');

/** A brand: its settings, beside a mail in it. */
export function BrandScreen() {
  const { brandId } = route.useParams();
  const query = useQuery(brandQuery(brandId));
  return (
    <>
      <Heading title={query.data?.name ?? brandId} />
      <Loaded query={query}>
        {(brand) => (
          <>
            <BrandFacts brand={brand} />
            {brand.id === DEFAULT_ID ? <p className="quiet">{words.defaultHint}</p> : <Actions brand={brand} />}
            <BrandEditor key={brand.id} brand={brand} />
          </>
        )}
      </Loaded>
    </>
  );
}

function BrandFacts({ brand: { id, published, created } }: { brand: Brand }) {
  return (
    <Facts
      facts={[
        [
          words.facts.id,
          <>
            {id} {id === DEFAULT_ID && <Badge tone="neutral">{words.isDefault}</Badge>}
          </>,
        ],
        [words.facts.published, <Time at={published} />],
        [words.facts.created, <Time at={created} />],
      ]}
    />
  );
}

/** What can be done with a brand that is not the default. */
function Actions({ brand }: { brand: Brand }) {
  const [confirming, setConfirming] = useState<'remove' | 'default'>();
  const missing = useMissingBrandScope(brand.id);
  const missingForDefault = useMissingBrandScope(DEFAULT_ID);
  const navigate = useNavigate();
  const close = () => setConfirming(undefined);
  const remove = useMutation({
    mutationFn: async () => {
      await removeBrand(brand.id);
      // Before it is read again: it is no longer there.
      await navigate({ to: '/brands' });
    },
  });
  const change = useMutation({ mutationFn: () => makeDefault(brand), onSuccess: close });
  return (
    <ActionBar>
      <Action name={words.makeDefault} missing={missingForDefault} isOff={change.isPending} onPress={() => setConfirming('default')} />
      <Action name={words.remove} missing={missing} isOff={remove.isPending} onPress={() => setConfirming('remove')} />
      <p role="status" className={actionStyles.done}>
        {change.isSuccess && words.madeDefault}
      </p>
      {confirming === 'remove' && (
        <ConfirmDialog
          title={words.removeTitle}
          confirm={words.confirmRemove}
          action={remove}
          onConfirm={() => remove.mutate()}
          onClose={close}
        >
          <p>{words.removeHint}</p>
        </ConfirmDialog>
      )}
      {confirming === 'default' && (
        <ConfirmDialog
          title={words.makeDefaultTitle}
          confirm={words.confirmDefault}
          action={change}
          onConfirm={() => change.mutate()}
          onClose={close}
        >
          <p>{words.makeDefaultHint}</p>
        </ConfirmDialog>
      )}
    </ActionBar>
  );
}
