import { useMutation } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { answerOf, api } from '../api/client';
import type { Template } from '../api/types';
import { templateEditor as words } from '../screen-texts/template-editor';
import { ConfirmDialog } from '../ui/confirm-dialog';
import { TextField } from '../ui/text-field';

interface TestSendDialogProps {
  template: Template;
  /** What is sent where it is not the published version. */
  content: Record<string, unknown> | undefined;
  data: Record<string, unknown>;
  onClose: () => void;
}

/** Sends the template, or the text in the editor, to an address that is typed, and leads to the message. */
export function TestSendDialog({ template, content, data, onClose }: TestSendDialogProps) {
  const { locale, tenant_id, brand_id = template.brand?.id } = useSearch({ strict: false });
  const [address, setAddress] = useState('');
  const send = useMutation({
    mutationFn: () => {
      const what = content ? { content, ...(brand_id && { brand_id }) } : { template: template.id };
      const context = tenant_id === undefined ? undefined : { tenant_id };
      const message = { to: { ...recipientOf(address.trim()), locale }, data, context, ...what };
      return answerOf(api.POST('/send', { body: { message } }));
    },
  });
  return (
    <ConfirmDialog
      title={words.test}
      confirm={words.confirmTest}
      action={{ isPending: send.isPending || address.trim() === '', error: send.error }}
      isDone={send.isSuccess}
      onConfirm={() => send.mutate()}
      onClose={onClose}
    >
      <p>{content ? words.testContent : words.testTemplate}</p>
      <p className="quiet">{words.testHint}</p>
      <TextField label={words.testTo} value={address} onChange={setAddress} />
      <p role="status">
        {send.data && (
          <>
            {words.tested}
            <Link to="/messages/$messageId" params={{ messageId: send.data.requestId }}>
              {send.data.requestId}
            </Link>
          </>
        )}
      </p>
    </ConfirmDialog>
  );
}

function recipientOf(text: string) {
  if (text.includes('@')) return { email: text };
  return /^\+?[\d\s()-]{5,}$/.test(text) ? { phone_number: text } : { user_id: text };
}
