import { useQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { translations as words } from '../screen-texts/translations';
import { ActionBar } from '../ui/action';
import { Loaded } from '../ui/loaded';
import { Section } from '../ui/section';
import { Select } from '../ui/select';
import { useSettled } from '../ui/settled';
import { Badge } from '../ui/status';
import { type Column, Table } from '../ui/table';
import { type MissingEntry, missingEntries, withEmptyEntries } from './po-entries';
import { localesQuery, textQuery } from './queries';

const route = getRouteApi('/translations/$domain/$locale');
const { missingColumns: headers } = words;
const SHOWN_MAX = 100;

const COLUMNS: readonly Column<MissingEntry>[] = [
  { header: headers.id, cell: ({ id }) => <code>{id}</code> },
  { header: headers.context, cell: ({ context }) => context },
  { header: headers.state, cell: ({ state }) => <Badge tone={state === 'absent' ? 'bad' : 'pending'}>{words.states[state]}</Badge> },
  { header: headers.other, cell: ({ text }) => text },
];

interface MissingEntriesProps {
  /** The language, in the spelling of the listing. */
  locale: string;
  /** The catalogue as it is written. */
  text: string;
  isReadOnly: boolean;
  onChange: (text: string) => void;
}

/** What another language translates and this one does not; the address names the other one. */
export function MissingEntries(props: MissingEntriesProps) {
  const { domain } = route.useParams();
  const { compare } = route.useSearch();
  const navigate = useNavigate();
  const query = useQuery(localesQuery);
  return (
    <Section title={words.missing}>
      <Loaded query={query}>
        {(languages) => {
          const others = languages.map((one) => one.locale).filter((one) => one !== props.locale);
          const other = others.find((one) => one === compare) ?? others[0];
          if (other === undefined) return <p className="quiet">{words.noOther}</p>;
          return (
            <>
              <Select
                label={words.compare}
                value={other}
                options={others.map((one) => [one, one] as const)}
                onChange={(chosen) => void navigate({ to: '.', replace: true, resetScroll: false, search: { compare: chosen } })}
              />
              <Missing key={other} domain={domain} other={other} {...props} />
            </>
          );
        }}
      </Loaded>
    </Section>
  );
}

function Missing({ domain, other, text, isReadOnly, onChange }: Omit<MissingEntriesProps, 'locale'> & { domain: string; other: string }) {
  const query = useQuery(textQuery(domain, other));
  const settled = useSettled(text);
  return (
    <Loaded query={query}>
      {(otherText) => {
        const missing = missingEntries(settled, otherText);
        if (missing.length === 0) return <p role="status">{words.complete}</p>;
        return (
          <>
            <Table
              name={words.missing}
              columns={COLUMNS}
              rows={missing.slice(0, SHOWN_MAX)}
              keyOf={({ context, id }) => `${context} ${id}`}
            />
            {missing.length > SHOWN_MAX && <p className="quiet">{words.more(missing.length - SHOWN_MAX)}</p>}
            <ActionBar>
              <button
                type="button"
                disabled={isReadOnly || missing.every(({ state }) => state !== 'absent')}
                onClick={() => onChange(withEmptyEntries(text, missingEntries(text, otherText)))}
              >
                {words.addMissing}
              </button>
            </ActionBar>
          </>
        );
      }}
    </Loaded>
  );
}
