import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useMissingScope } from '../api/session';
import type { Webhook } from '../api/types';
import { webhooks as words } from '../screen-texts/webhooks';
import { texts } from '../texts';
import { Action, ActionBar } from '../ui/action';
import { curl } from '../ui/curl';
import { Empty } from '../ui/empty';
import { FormDialog } from '../ui/form-dialog';
import { Heading } from '../ui/heading';
import { Loaded } from '../ui/loaded';
import { ShownOnce } from '../ui/shown-once';
import { type Column, Table } from '../ui/table';
import { Time } from '../ui/time';
import { createWebhook, webhooksQuery } from './queries';
import { WebhookFields } from './webhook-fields';
import { WebhookState } from './webhook-state';

const { columns: headers } = words;

const COLUMNS: readonly Column<Webhook>[] = [
  {
    header: headers.url,
    cell: ({ id, url }) => (
      <Link to="/webhooks/$id" params={{ id }}>
        {url}
      </Link>
    ),
  },
  { header: headers.description, cell: ({ description }) => description },
  { header: headers.events, cell: ({ event_types: types }) => types.join(', ') },
  { header: headers.state, cell: (webhook) => <WebhookState webhook={webhook} /> },
  { header: headers.created, cell: ({ created }) => <Time at={created} /> },
];

/** The receivers of the workspace's events. */
export function WebhooksScreen() {
  const query = useQuery(webhooksQuery);
  const missing = useMissingScope('write:webhooks');
  const [isCreating, setIsCreating] = useState(false);
  return (
    <>
      <Heading title={texts.screens.webhooks} />
      <ActionBar>
        <Action name={words.create} missing={missing} onPress={() => setIsCreating(true)} />
      </ActionBar>
      <Loaded query={query}>
        {(webhooks) =>
          webhooks.length > 0 ? (
            <>
              <Table name={texts.screens.webhooks} columns={COLUMNS} rows={webhooks} keyOf={({ id }) => id} />
              <p className="quiet">{words.hint}</p>
            </>
          ) : (
            <Empty
              title={words.none}
              hint={words.noneHint}
              command={curl('POST', '/webhooks', { url: 'https://example.com/hooks/tidings' })}
            />
          )
        }
      </Loaded>
      {isCreating && <CreateDialog onClose={() => setIsCreating(false)} />}
    </>
  );
}

function CreateDialog({ onClose }: { onClose: () => void }) {
  const create = useMutation({ mutationFn: createWebhook });
  return (
    <FormDialog
      title={words.create}
      submit={words.confirmCreate}
      action={create}
      result={
        create.data && (
          <ShownOnce name={words.secret} hint={words.shownOnce} secret={create.data.secret}>
            <p>
              <Link to="/webhooks/$id" params={{ id: create.data.id }}>
                {words.toCreated}
              </Link>
            </p>
          </ShownOnce>
        )
      }
      onSubmit={(text) => create.mutate({ url: text('url') ?? '', description: text('description') })}
      onClose={onClose}
    >
      <p>{words.hint}</p>
      <WebhookFields />
    </FormDialog>
  );
}
