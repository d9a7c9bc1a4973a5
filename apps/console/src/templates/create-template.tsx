import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { answerOf, api } from '../api/client';
import { useMissingScope } from '../api/session';
import { templateEditor as words } from '../screen-texts/template-editor';
import { Action } from '../ui/action';
import { ConfirmDialog } from '../ui/confirm-dialog';
import { TextField } from '../ui/text-field';

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
    <p>
      <Action name={words.create} missing={missing} onPress={() => setIsOpen(true)} />
      {isOpen && <CreateDialog onClose={() => setIsOpen(false)} />}
    </p>
  );
}

function CreateDialog({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [alias, setAlias] = useState('');
  const create = useMutation({
    mutationFn: () => {
      const notification = { name: name.trim(), alias: alias.trim() || undefined, content: FIRST_CONTENT };
      return answerOf(api.POST('/notifications', { body: { notification } }));
    },
    onSuccess: ({ id }) => void navigate({ to: '/templates/$templateId/edit', params: { templateId: id } }),
  });
  return (
    <ConfirmDialog
      title={words.create}
      confirm={words.confirmCreate}
      action={{ isPending: create.isPending || name.trim() === '', error: create.error }}
      onConfirm={() => create.mutate()}
      onClose={onClose}
    >
      <p className="quiet">{words.createHint}</p>
      <TextField label={words.name} value={name} onChange={setName} />
      <TextField label={words.alias} value={alias} onChange={setAlias} />
    </ConfirmDialog>
  );
}
