import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { templateEditor as words } from '../screen-texts/template-editor';
import { draftQuery } from '../templates/queries';
import { Heading } from '../ui/heading';
import { Loaded } from '../ui/loaded';
import { Editor } from './editor';

const route = getRouteApi('/templates/$templateId/edit');

/** The draft of a template as Elemental, beside it what it is rendered to. */
export function EditorScreen() {
  const { templateId } = route.useParams();
  const query = useQuery(draftQuery(templateId));
  // The text of the editor is replaced only when its writer wants it.
  const [edition, setEdition] = useState(1);
  const reload = async () => {
    await query.refetch();
    setEdition((earlier) => earlier + 1);
  };
  return (
    <>
      <Heading title={words.title(query.data?.name ?? templateId)} />
      <Loaded query={query}>
        {(template) => <Editor key={`${template.id} ${edition}`} template={template} onReload={() => void reload()} />}
      </Loaded>
    </>
  );
}
