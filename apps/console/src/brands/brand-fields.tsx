import { brands as words } from '../screen-texts/brands';
import { Check } from '../ui/checks';
import { TextField } from '../ui/text-field';
import styles from './brands.module.css';
import { Swatch } from './colors';
import { type BrandDraft, DEFAULT_ID } from './queries';
import { problemAt, valueAt, withValueAt } from './settings-path';

type Path = keyof typeof words.fields;
type Group = keyof typeof words.groups;

const MARKDOWN = 'email.footer.markdown';
const CONTENT = 'email.footer.content';
const FOOTER_ROWS = 4;
/** Social links are in the footer, and inherited with a switch of their own in the JSON. */
const GROUPS: Readonly<Record<Group, readonly Path[]>> = {
  colors: ['colors.primary', 'colors.secondary', 'colors.tertiary'],
  header: ['email.header.logo.image', 'email.header.logo.href', 'email.header.barColor'],
  footer: [MARKDOWN],
  social: [
    'email.footer.social.facebook.url',
    'email.footer.social.instagram.url',
    'email.footer.social.linkedin.url',
    'email.footer.social.medium.url',
    'email.footer.social.twitter.url',
  ],
};
const INHERITED = { header: 'email.header.inheritDefault', footer: 'email.footer.inheritDefault' } as const;

interface BrandFieldsProps {
  brandId: string;
  draft: BrandDraft;
  /** Why the interface refused the draft; what it says of a field is shown there. */
  error: unknown;
  isReadOnly: boolean;
  onChange: (draft: BrandDraft) => void;
}

/** The settings of a brand that most need: name, colours, header and footer. */
export function BrandFields({ brandId, draft, error, isReadOnly, onChange }: BrandFieldsProps) {
  const change = (path: string, value: unknown) => onChange({ ...draft, settings: withValueAt(draft.settings, path, value) });
  return (
    <>
      <TextField
        label={words.name}
        value={draft.name}
        isRequired
        isReadOnly={isReadOnly}
        onChange={(name) => onChange({ ...draft, name })}
      />
      {(Object.keys(GROUPS) as Group[]).map((group) => (
        <fieldset key={group} className={styles.group}>
          <legend>{words.groups[group]}</legend>
          {brandId !== DEFAULT_ID && group in INHERITED && (
            <Inherit group={group as keyof typeof INHERITED} draft={draft} isOff={isReadOnly} onChange={change} />
          )}
          {GROUPS[group].map((path) => (
            <Setting key={path} path={nameUsed(draft, path)} draft={draft} error={error} isReadOnly={isReadOnly} onChange={change} />
          ))}
        </fieldset>
      ))}
      <p className="quiet">{words.moreHint}</p>
    </>
  );
}

/** The footer's text has two names, of which brands of some clients use the other. */
function nameUsed({ settings }: BrandDraft, path: Path): Path {
  return path === MARKDOWN && valueAt(settings, MARKDOWN) === undefined && valueAt(settings, CONTENT) !== undefined ? CONTENT : path;
}

interface SettingProps extends Pick<BrandFieldsProps, 'draft' | 'error' | 'isReadOnly'> {
  path: Path;
  onChange: (path: string, value: unknown) => void;
}

function Setting({ path, draft, error, isReadOnly, onChange }: SettingProps) {
  const stored = valueAt(draft.settings, path);
  const value = typeof stored === 'string' ? stored : '';
  const isColor = /color/i.test(path);
  const field = (
    <TextField
      label={words.fields[path]}
      value={value}
      problem={problemAt(error, path)}
      rows={path === MARKDOWN || path === CONTENT ? FOOTER_ROWS : undefined}
      isReadOnly={isReadOnly}
      onChange={(text) => onChange(path, text === '' ? undefined : text)}
    />
  );
  if (!isColor) return field;
  return (
    <div className={styles.withSwatch}>
      {field}
      <Swatch color={value} />
    </div>
  );
}

interface InheritProps {
  group: keyof typeof INHERITED;
  draft: BrandDraft;
  isOff: boolean;
  onChange: (path: string, value: unknown) => void;
}

function Inherit({ group, draft, isOff, onChange }: InheritProps) {
  const path = INHERITED[group];
  return (
    <Check
      label={words.inherit[group]}
      isChecked={valueAt(draft.settings, path) === true}
      isOff={isOff}
      onChange={(isOn) => onChange(path, isOn || undefined)}
    />
  );
}
