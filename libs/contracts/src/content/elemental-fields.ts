import type { ElementalType, FieldsByType } from './elemental';

type FieldNames = { readonly [Type in ElementalType]: readonly (keyof FieldsByType[Type])[] };

const STYLE = ['color', 'bold', 'italic', 'strikethrough', 'underline', 'font_size', 'line_height'] as const;
const PICTURE = ['src', 'href', 'alt_text', 'altText', 'width'] as const;
const BORDER = ['border_color', 'borderColor'] as const;
const SOURCE = ['content', 'template'] as const;

/** The fields that have a meaning, by node type, beside `ELEMENT_FIELDS`. */
const FIELDS: FieldNames = {
  text: [...STYLE, 'elements', 'content', 'align', 'text_style', 'textStyle', 'format'],
  string: [...STYLE, 'content'],
  link: [...STYLE, 'content', 'href', 'disable_tracking'],
  img: [...STYLE, ...PICTURE, 'disable_tracking'],
  meta: ['title', 'preheader'],
  channel: ['channel', 'elements', 'raw', 'font_size', 'line_height', 'padding'],
  image: [...PICTURE, ...BORDER, 'align', 'border_size', 'padding'],
  action: [
    'content',
    'href',
    'action_id',
    'actionId',
    'align',
    'background_color',
    'backgroundColor',
    'color',
    'style',
    'border_radius',
    'border_size',
    'font_size',
    'padding',
    'disable_tracking',
  ],
  divider: ['color'],
  quote: [...STYLE, ...BORDER, 'elements', 'content', 'align', 'text_style', 'textStyle'],
  html: SOURCE,
  jsonnet: SOURCE,
  group: ['elements'],
  columns: ['elements'],
  column: ['elements', 'width'],
  list: ['elements', 'list_type', 'imgSrc', 'imgHref'],
  'list-item': ['elements', 'content', 'background_color'],
  comment: [],
};

/** The fields of every node. Clients put back the checksum that they were given. */
const ELEMENT_FIELDS = ['type', 'id', 'channels', 'ref', 'if', 'loop', 'locales', 'checksum'];

const FIELDS_BY_TYPE = new Map(Object.entries(FIELDS).map(([type, names]) => [type, new Set<string>([...ELEMENT_FIELDS, ...names])]));

/** Whether a field of a node has a meaning. */
export function isElementField(type: ElementalType, field: string): boolean {
  return FIELDS_BY_TYPE.get(type)!.has(field);
}
