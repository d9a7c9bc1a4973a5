import {
  OptionalFlag,
  OptionalListOf,
  OptionalNested,
  OptionalOneOf,
  OptionalText,
  OptionalTexts,
  Text,
  textFields,
  TextOf,
} from '../core/fields';

/** `href`: target of the link. `image`: URL of the image. */
class BrandLogo extends textFields(OptionalText, 'href', 'image') {}

/** A part that is the default brand's with `inheritDefault`. */
class InheritablePart {
  @OptionalFlag inheritDefault?: boolean | null;
}

class BrandHeader extends InheritablePart {
  @OptionalNested(BrandLogo) logo?: BrandLogo | null;

  @OptionalText barColor?: string | null;
}

class BrandHead extends InheritablePart {
  @OptionalText content?: string | null;
}

class BrandSocialLink {
  @OptionalText url?: string | null;
}

const SocialLink = OptionalNested(BrandSocialLink);

class BrandSocial extends InheritablePart {
  @SocialLink facebook?: BrandSocialLink | null;

  @SocialLink instagram?: BrandSocialLink | null;

  @SocialLink linkedin?: BrandSocialLink | null;

  @SocialLink medium?: BrandSocialLink | null;

  @SocialLink twitter?: BrandSocialLink | null;
}

/** The footer; some clients name its text `markdown`, others `content`. */
class BrandFooter extends InheritablePart {
  @OptionalText markdown?: string | null;

  @OptionalText content?: string | null;

  @OptionalNested(BrandSocial) social?: BrandSocial | null;
}

/** The frame around the content, instead of the standard frame. */
class BrandTemplate extends textFields(OptionalText, 'backgroundColor', 'blocksBackgroundColor', 'head', 'header', 'footer', 'width') {
  @OptionalFlag enabled?: boolean | null;
}

class BrandTemplateOverride extends BrandTemplate {
  @OptionalNested(BrandTemplate) mjml?: BrandTemplate | null;

  @OptionalText footerBackgroundColor?: string | null;

  @OptionalFlag footerFullWidth?: boolean | null;
}

export class BrandEmail {
  @OptionalNested(BrandHeader) header?: BrandHeader | null;

  @OptionalNested(BrandHead) head?: BrandHead | null;

  @OptionalNested(BrandFooter) footer?: BrandFooter | null;

  @OptionalNested(BrandTemplateOverride) templateOverride?: BrandTemplateOverride | null;
}

const PLACEMENTS = ['top', 'bottom', 'left', 'right'] as const;

/** Colours in CSS notation; other names are allowed. */
class BrandColors extends textFields(OptionalText, 'primary', 'secondary', 'tertiary') {}

class BrandIcons extends textFields(OptionalText, 'bell', 'message') {}

class BrandWidgetBackground extends textFields(OptionalText, 'topColor', 'bottomColor') {}

class BrandPreferencePage {
  @OptionalTexts templateIds?: string[] | null;
}

/** For the widgets in a client's own pages. */
class BrandInApp {
  @OptionalNested(BrandColors) colors?: BrandColors | null;

  @OptionalNested(BrandIcons) icons?: BrandIcons | null;

  @OptionalNested(BrandWidgetBackground) widgetBackground?: BrandWidgetBackground | null;

  @OptionalText borderRadius?: string | null;

  @OptionalFlag disableMessageIcon?: boolean | null;

  @OptionalText fontFamily?: string | null;

  @OptionalOneOf(PLACEMENTS) placement?: (typeof PLACEMENTS)[number] | null;

  @OptionalNested(BrandPreferencePage) preferences?: BrandPreferencePage | null;
}

/** The known settings of a brand; other fields are stored unchanged. */
export class BrandSettings {
  @OptionalNested(BrandColors) colors?: BrandColors | null;

  @OptionalNested(BrandEmail) email?: BrandEmail | null;

  @OptionalNested(BrandInApp) inapp?: BrandInApp | null;
}

export class BrandSnippet {
  /** The name in templates: `{{> name}}`. */
  @TextOf(1, 256) name: string;

  @Text value: string;

  @OptionalOneOf(['handlebars']) format?: 'handlebars' | null;
}

export class BrandSnippets {
  @OptionalListOf(BrandSnippet) items?: BrandSnippet[] | null;
}
