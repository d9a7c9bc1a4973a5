import { useMutation } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { answerOf, api } from '../api/client';
import type { Template } from '../api/types';
import { templateEditor as words } from '../screen-texts/template-editor';
import { Field } from '../ui/field';
import { FormDialog } from '../ui/form-dialog';

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
  const send = useMutation({
    mutationFn: (address: string) => {
      const what = content ? { content, ...(brand_id && { brand_id }) } : { template: template.id };
      const context = tenant_id === undefined ? undefined : { tenant_id };
      const message = { to: { ...recipientOf(address), locale }, data, context, ...what };
      return answerOf(api.POST('/send', { body: { message } }));
    },
  });
  return (
    <FormDialog
      title={words.test}
      submit={words.confirmTest}
      action={send}
      result={
        send.data && (
          <p role="status">
            {words.tested}
            <Link to="/messages/$messageId" params={{ messageId: send.data.requestId }}>
              {send.data.requestId}
            </Link>
          </p>
        )
      }
      onSubmit={(text) => send.mutate(text('address') ?? '')}
      onClose={onClose}
    >
      <p>{content ? words.testContent : words.testTemplate}</p>
      <p className="quiet">{words.testHint}</p>
      <Field label={words.testTo}>{() => <input name="address" required autoComplete="off" spellCheck={false} />}</Field>
    </FormDialog>
  );
}

function recipientOf(text: string) {
  if (text.includes('@')) return { email: text };
  return /^\+?[\d\s()-]{5,}$/.test(text) ? { phone_number: text } : { user_id: text };
}
