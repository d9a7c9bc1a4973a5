import { AnyObject, IsListOf, Text } from '../core/fields';

/** A block of rendered content: running text, or an action with its URL. */
export interface OutputBlock {
  readonly type: 'text' | 'action';
  readonly text: string;
  readonly url?: string;
}

/** The rendered content of one channel. Every field is present; fields the channel does not use are empty. */
export interface MessageOutputContent {
  html: string;
  title: string;
  body: string;
  subject: string;
  text: string;
  blocks: readonly OutputBlock[];
}

export class ChannelOutput {
  /** The channel. @example "email" */
  @Text channel: string;

  /** Id of the channel, as in the events of the history. @example "email" */
  @Text channel_id: string;

  /**
   * The rendered parts: `html`, `title`, `body`, `subject`, `text` and `blocks`, those without use in the channel empty.
   * @example { "html": "", "title": "Hello Ada", "body": "Your order has shipped.", "subject": "", "text": "", "blocks": [] }
   */
  @AnyObject content: MessageOutputContent;
}

export class MessageOutput {
  /** One entry for each channel, in the order of rendering; empty before it. */
  @IsListOf(ChannelOutput) results: ChannelOutput[];
}

const TEXT_TYPE = 'text/plain';
/** The parts of an output, with their media types. */
const PART_TYPES = {
  html: 'text/html',
  title: TEXT_TYPE,
  body: TEXT_TYPE,
  subject: TEXT_TYPE,
  text: TEXT_TYPE,
  blocks: 'application/json',
} as const satisfies Record<keyof MessageOutputContent, string>;
type OutputPartName = keyof typeof PART_TYPES;

/** The names of the parts of an output. */
export const OUTPUT_PARTS = Object.keys(PART_TYPES) as OutputPartName[];

export class OutputPart {
  @Text text: string;

  @Text media_type: string;
}

/** The media types of parts, each once. */
export const OUTPUT_PART_TYPES = [...new Set(Object.values(PART_TYPES))];

/** Whether a name is one of `OUTPUT_PARTS`. */
export function isOutputPart(name: string): name is OutputPartName {
  return Object.hasOwn(PART_TYPES, name);
}

/** A part of the rendered content, as text with its media type. */
export function toOutputPart(part: OutputPartName, content: MessageOutputContent): OutputPart {
  const value = content[part];
  return { text: typeof value === 'string' ? value : JSON.stringify(value), media_type: PART_TYPES[part] };
}

/** The paths of the parts of an output; empty parts are omitted. Of the content only the lengths matter. */
export function outputAddresses(
  messageId: string,
  renderId: number,
  content: Readonly<Record<OutputPartName, { readonly length: number }>>,
): Partial<Record<OutputPartName, string>> {
  const parts = OUTPUT_PARTS.filter((part) => content[part].length > 0);
  return Object.fromEntries(parts.map((part) => [part, `/messages/${messageId}/output/${renderId}/${part}`]));
}
