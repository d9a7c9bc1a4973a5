import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { answerOf, api } from '../api/client';
import { useMissingScope } from '../api/session';
import { templateEditor as words } from '../screen-texts/template-editor';
import { Action } from '../ui/action';
import { Field } from '../ui/field';
import { FormDialog } from '../ui/form-dialog';

const FIRST_CONTENT = {
  version: '2022-01-01',
  elements: [
    { type: 'meta', title: 'Hello' },
    { type: 'text', content: 'Hello {name}' },
  ],
};

/** Creates the draft of a template, and leads to its editor. */
export function CreateTemplate() {
  const [isOpen, setIsOpen] = useState(false);
  const missing = useMissingScope('write:notifications');
  return (
    <div>
      <Action name={words.create} missing={missing} onPress={() => setIsOpen(true)} />
      {isOpen && <CreateDialog onClose={() => setIsOpen(false)} />}
    </div>
  );
}

function CreateDialog({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const create = useMutation({
    mutationFn: (named: { name: string; alias?: string }) =>
      answerOf(api.POST('/notifications', { body: { notification: { ...named, content: FIRST_CONTENT } } })),
    onSuccess: ({ id }) => void navigate({ to: '/templates/$templateId/edit', params: { templateId: id } }),
  });
  return (
    <FormDialog
      title={words.create}
      submit={words.confirmCreate}
      action={create}
      onSubmit={(text) => create.mutate({ name: text('name') ?? '', alias: text('alias') })}
      onClose={onClose}
    >
      <p className="quiet">{words.createHint}</p>
      <Field label={words.name}>{() => <input name="name" required autoComplete="off" />}</Field>
      <Field label={words.alias}>{() => <input name="alias" autoComplete="off" />}</Field>
    </FormDialog>
  );
}
