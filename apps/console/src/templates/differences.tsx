import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { templates as words } from '../screen-texts/templates';
import { LineDiff } from '../ui/line-diff';
import { Loaded } from '../ui/loaded';
import { Section } from '../ui/section';
import { templateQuery } from './queries';
import { textOfContent } from './text-of-content';

const route = getRouteApi('/templates/$templateId');

/** What leads from the version `against` of the address to the one that is shown. */
export function Differences({ templateId }: { templateId: string }) {
  const { against } = route.useSearch();
  return against === undefined ? null : <Between templateId={templateId} against={against} />;
}

function Between({ templateId, against }: { templateId: string; against: string }) {
  const { version } = route.useSearch();
  const before = useQuery({ ...templateQuery(templateId, against), placeholderData: undefined });
  const after = useQuery({ ...templateQuery(templateId, version), placeholderData: undefined });
  return (
    <Section title={words.differences}>
      <p className="quiet">{words.differencesOf(against, version ?? words.shownVersion)}</p>
      <Loaded query={before}>
        {(old) => (
          <Loaded query={after}>
            {(now) => <LineDiff name={words.differences} before={textOfContent(old.content)} after={textOfContent(now.content)} />}
          </Loaded>
        )}
      </Loaded>
    </Section>
  );
}
