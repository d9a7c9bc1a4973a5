import {
  CheckedBy,
  Optional,
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
import { AnyField } from '../core/known-fields';
import { isColor } from './colors';

/** A colour, or an empty text for none. */
const OptionalColor = Optional(
  Text,
  CheckedBy(
    'isColor',
    (value) => typeof value === 'string' && (value === '' || isColor(value)),
    'must be a color, such as #9D3789, rgb(157, 55, 137) or teal',
  ),
);

/**
 * The image at the top of e-mails.
 * @property href Target of the link around the logo. Absent: no link. @example "https://example.com"
 * @property image URL of the image. Absent: no logo. @example "https://example.com/logo.png"
 */
class BrandLogo extends textFields(OptionalText, 'href', 'image') {}

/** A part that is the default brand's with `inheritDefault`. */
class InheritablePart {
  /** Whether this part is that of the default brand, as a whole. Default `false`. @example true */
  @OptionalFlag inheritDefault?: boolean | null;
}

class BrandHeader extends InheritablePart {
  /** The image at the top. */
  @OptionalNested(BrandLogo) logo?: BrandLogo | null;

  /** Colour, in CSS notation, of the bar above the header. Absent: no bar. @example "#9D3789" */
  @OptionalColor barColor?: string | null;
}

class BrandHead extends InheritablePart {
  /** HTML for the head of the e-mail, such as a `<style>`. @example "<style>.c--text-h1 { color: #9D3789 }</style>" */
  @OptionalText content?: string | null;
}

class BrandSocialLink {
  /** Address of the page in this network. Absent: no link. @example "https://example.com/acme" */
  @OptionalText url?: string | null;
}

const SocialLink = OptionalNested(BrandSocialLink);

class BrandSocial extends InheritablePart {
  /** Link to Facebook. */
  @SocialLink facebook?: BrandSocialLink | null;

  /** Link to Instagram. */
  @SocialLink instagram?: BrandSocialLink | null;

  /** Link to LinkedIn. */
  @SocialLink linkedin?: BrandSocialLink | null;

  /** Link to Medium. */
  @SocialLink medium?: BrandSocialLink | null;

  /** Link to Twitter. */
  @SocialLink twitter?: BrandSocialLink | null;
}

/** The footer; some clients name its text `markdown`, others `content`. */
class BrandFooter extends InheritablePart {
  /** Text of the footer, in Markdown; wins over `content`. @example "Acme, 1 rue de la Paix, Lyon" */
  @OptionalText markdown?: string | null;

  /** Text of the footer, in Markdown, under the name that some clients use. @example "Acme, 1 rue de la Paix, Lyon" */
  @OptionalText content?: string | null;

  /** Links to pages in social networks, below the text. */
  @OptionalNested(BrandSocial) social?: BrandSocial | null;
}

/**
 * The frame around the content, instead of the standard frame.
 * @property head HTML for the head of the e-mail. @example "<style>a { color: #9D3789 }</style>"
 * @property header HTML, or MJML, above the content. It may open elements that the footer closes. @example "<h1>Acme</h1>"
 * @property footer HTML, or MJML, below the content. @example "<p>Acme, 1 rue de la Paix, Lyon</p>"
 * @property width Width of the content, in pixels. @example "600"
 */
class BrandTemplate extends textFields(OptionalText, 'head', 'header', 'footer', 'width') {
  /** Colour around the content, in CSS notation. @example "#f4f4f5" */
  @OptionalColor backgroundColor?: string | null;

  /** Colour behind the content, in CSS notation. On a dark one texts are light. @example "#ffffff" */
  @OptionalColor blocksBackgroundColor?: string | null;

  /** Whether this frame is used. Default `false`. @example true */
  @OptionalFlag enabled?: boolean | null;
}

class BrandTemplateOverride extends BrandTemplate {
  /** The frame in MJML; with `enabled` its fields win over those beside it. */
  @OptionalNested(BrandTemplate) mjml?: BrandTemplate | null;

  /** Colour behind the footer, in CSS notation. @example "#f4f4f5" */
  @OptionalColor footerBackgroundColor?: string | null;

  /** Whether the footer is as wide as the window. Default `false`. */
  @OptionalFlag footerFullWidth?: boolean | null;
}

export class BrandEmail {
  /** Logo and bar at the top of e-mails. */
  @OptionalNested(BrandHeader) header?: BrandHeader | null;

  /** The head of e-mails: their styles. */
  @OptionalNested(BrandHead) head?: BrandHead | null;

  /** Text and links at the end of e-mails. */
  @OptionalNested(BrandFooter) footer?: BrandFooter | null;

  /** A frame of your own, instead of head, header and footer. */
  @OptionalNested(BrandTemplateOverride) templateOverride?: BrandTemplateOverride | null;
}

const PLACEMENTS = ['top', 'bottom', 'left', 'right'] as const;

/**
 * Colours in CSS notation; other names are allowed.
 * @property primary Colour of buttons and links, in CSS notation. @example "#9D3789"
 * @property secondary Colour of secondary buttons, in CSS notation. @example "#e4e4e7"
 * @property tertiary Colour of tertiary buttons, in CSS notation. @example "#f4f4f5"
 */
@AnyField
class BrandColors extends textFields(OptionalColor, 'primary', 'secondary', 'tertiary') {}

/**
 * @property bell URL of the icon that opens the inbox. @example "https://acme.example/inbox.png"
 * @property message URL of the icon of a message. @example "https://acme.example/message.png"
 */
class BrandIcons extends textFields(OptionalText, 'bell', 'message') {}

/**
 * @property topColor Colour at the top, in CSS notation. @example "#9D3789"
 * @property bottomColor Colour at the bottom, in CSS notation. @example "#9D3789"
 */
class BrandWidgetBackground extends textFields(OptionalColor, 'topColor', 'bottomColor') {}

class BrandPreferencePage {
  /** Ids of the templates that the widget shows preferences for. @example ["nt_3Xo0aB1dQkS9fT2uVw5z"] */
  @OptionalTexts templateIds?: string[] | null;
}

/** For the widgets in a client's own pages. */
class BrandInApp {
  /** Colours of the widget. */
  @OptionalNested(BrandColors) colors?: BrandColors | null;

  /** Icons of the widget. */
  @OptionalNested(BrandIcons) icons?: BrandIcons | null;

  /** Background of the widget: from one colour to the other. */
  @OptionalNested(BrandWidgetBackground) widgetBackground?: BrandWidgetBackground | null;

  /** Radius of the widget's corners, in CSS notation. @example "12px" */
  @OptionalText borderRadius?: string | null;

  /** Whether messages have no icon. */
  @OptionalFlag disableMessageIcon?: boolean | null;

  /** Font of the widget, in CSS notation. @example "Inter, sans-serif" */
  @OptionalText fontFamily?: string | null;

  /** Where the widget opens, relative to its icon. @example "bottom" */
  @OptionalOneOf(PLACEMENTS) placement?: (typeof PLACEMENTS)[number] | null;

  /** What the widget shows of preferences. */
  @OptionalNested(BrandPreferencePage) preferences?: BrandPreferencePage | null;
}

/** The settings of a brand. */
export class BrandSettings {
  /** Colours in messages. */
  @OptionalNested(BrandColors) colors?: BrandColors | null;

  /** The parts of e-mails around the content. */
  @OptionalNested(BrandEmail) email?: BrandEmail | null;

  /** Settings of widgets in your own pages; they are stored and returned, and have no effect here. */
  @OptionalNested(BrandInApp) inapp?: BrandInApp | null;
}

export class BrandSnippet {
  /** Name of the partial, for templates: `{{> name}}`. @example "signature" */
  @TextOf(1, 256) name: string;

  /** Its text, in Handlebars. @example "Best regards, {{brand.name}}" */
  @Text value: string;

  /** Always `handlebars`, also if absent. @example "handlebars" */
  @OptionalOneOf(['handlebars']) format?: 'handlebars' | null;
}

export class BrandSnippets {
  /** The snippets; of two with one name the last counts. */
  @OptionalListOf(BrandSnippet) items?: BrandSnippet[] | null;
}
