import { useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Workspace } from '../api/types';
import { workspaces as words } from '../screen-texts/workspaces';
import { OperatorsOnly } from '../shell/operators-only';
import { texts } from '../texts';
import { Action, ActionBar } from '../ui/action';
import { curl } from '../ui/curl';
import { Empty } from '../ui/empty';
import { Field } from '../ui/field';
import { FormDialog } from '../ui/form-dialog';
import { Heading } from '../ui/heading';
import { Loaded } from '../ui/loaded';
import { Paging } from '../ui/paging';
import { SearchForm } from '../ui/search-form';
import { type Column, Table } from '../ui/table';
import { Time } from '../ui/time';
import { createWorkspace, workspacesQuery } from './queries';

const route = getRouteApi('/workspaces');
const { columns: headers, fields } = words;

const COLUMNS: readonly Column<Workspace>[] = [
  {
    header: headers.name,
    cell: ({ workspace_id: id, name }) => (
      <Link to="/workspaces/$workspaceId" params={{ workspaceId: id }}>
        {name}
      </Link>
    ),
  },
  { header: headers.email, cell: ({ account_email: email }) => email },
  { header: headers.id, cell: ({ workspace_id: id }) => <code>{id}</code> },
  { header: headers.created, cell: ({ created_at: at }) => <Time at={Date.parse(at)} /> },
];

/** The workspaces of the installation, for operators. */
export function WorkspacesScreen() {
  return (
    <>
      <Heading title={texts.screens.workspaces} />
      <OperatorsOnly words={words} command="tidings workspaces list">
        <Workspaces />
      </OperatorsOnly>
    </>
  );
}

function Workspaces() {
  const search = route.useSearch();
  const navigate = useNavigate();
  const query = useQuery(workspacesQuery(search));
  const [isCreating, setIsCreating] = useState(false);
  return (
    <>
      <SearchForm
        label={words.search}
        hint={words.searchHint}
        value={search.name ?? ''}
        onSearch={(name) => void navigate({ to: '/workspaces', search: { name: name || undefined } })}
      />
      <ActionBar>
        <Action name={words.create} onPress={() => setIsCreating(true)} />
      </ActionBar>
      <Loaded query={query}>
        {({ results, paging }) => (
          <>
            {results.length > 0 ? (
              <Table name={texts.screens.workspaces} columns={COLUMNS} rows={results} keyOf={({ workspace_id: id }) => id} />
            ) : (
              <None name={search.name} />
            )}
            <Paging paging={paging} />
          </>
        )}
      </Loaded>
      {isCreating && <CreateDialog onClose={() => setIsCreating(false)} />}
    </>
  );
}

function None({ name }: { name?: string }) {
  if (name === undefined) {
    const body = { name: 'shop', account_email: 'ops@example.com' };
    return <Empty title={words.none} hint={words.noneHint} command={curl('POST', '/admin/workspaces', body, 'TIDINGS_ADMIN_KEY')} />;
  }
  return (
    <Empty title={words.noneFound(name)}>
      <Link to="/workspaces" className="button">
        {words.all}
      </Link>
    </Empty>
  );
}

/** Creates a workspace, and leads to it: it needs a key. */
function CreateDialog({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const create = useMutation({
    mutationFn: createWorkspace,
    onSuccess: ({ workspace_id: workspaceId }) => {
      onClose();
      void navigate({ to: '/workspaces/$workspaceId', params: { workspaceId } });
    },
  });
  return (
    <FormDialog
      title={words.create}
      submit={words.confirmCreate}
      action={create}
      onSubmit={(text) => create.mutate({ name: text('name') ?? '', account_email: text('email') ?? '' })}
      onClose={onClose}
    >
      <Field label={fields.name}>{() => <input name="name" required maxLength={100} autoComplete="off" />}</Field>
      <Field label={fields.email} hint={words.emailHint}>
        {(hint) => <input type="email" name="email" required autoComplete="off" aria-describedby={hint} />}
      </Field>
    </FormDialog>
  );
}
