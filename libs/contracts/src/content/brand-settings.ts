import { IsIn } from 'class-validator';
import { Optional, OptionalFlag, OptionalListOf, OptionalNested, OptionalText, OptionalTexts, Text, TextOf } from '../core/fields';
import { BrandEmail } from './brand-email';

const SNIPPET_NAME_LENGTH_MAX = 256;
const PLACEMENTS = ['top', 'bottom', 'left', 'right'] as const;

/** Colours in CSS notation; other names are allowed. */
class BrandColors {
  @OptionalText primary?: string | null;

  @OptionalText secondary?: string | null;

  @OptionalText tertiary?: string | null;
}

class BrandIcons {
  @OptionalText bell?: string | null;

  @OptionalText message?: string | null;
}

class BrandWidgetBackground {
  @OptionalText topColor?: string | null;

  @OptionalText bottomColor?: string | null;
}

class BrandPreferencePage {
  @OptionalTexts templateIds?: string[] | null;
}

/** For the widgets in a client's own pages. */
class BrandInApp {
  @OptionalNested(() => BrandColors) colors?: BrandColors | null;

  @OptionalNested(() => BrandIcons) icons?: BrandIcons | null;

  @OptionalNested(() => BrandWidgetBackground) widgetBackground?: BrandWidgetBackground | null;

  @OptionalText borderRadius?: string | null;

  @OptionalFlag disableMessageIcon?: boolean | null;

  @OptionalText fontFamily?: string | null;

  @Optional(IsIn(PLACEMENTS)) placement?: (typeof PLACEMENTS)[number] | null;

  @OptionalNested(() => BrandPreferencePage) preferences?: BrandPreferencePage | null;
}

/** The known settings of a brand; other fields are stored unchanged. */
export class BrandSettings {
  @OptionalNested(() => BrandColors) colors?: BrandColors | null;

  @OptionalNested(() => BrandEmail) email?: BrandEmail | null;

  @OptionalNested(() => BrandInApp) inapp?: BrandInApp | null;
}

export class BrandSnippet {
  /** The name in templates: `{{> name}}`. */
  @TextOf(1, SNIPPET_NAME_LENGTH_MAX) name: string;

  @Text value: string;

  @Optional(IsIn(['handlebars'])) format?: 'handlebars' | null;
}

export class BrandSnippets {
  @OptionalListOf(() => BrandSnippet) items?: BrandSnippet[] | null;
}
