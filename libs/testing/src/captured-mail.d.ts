import type { Email } from 'postal-mime';
/** How the server ended a mail's DATA. */
export type Ending = 'accepted' | 'deferred' | 'dropped' | 'hung';
/** A mail as it arrived. */
export declare class CapturedMail {
    readonly envelope: {
        readonly from: string;
        readonly to: readonly string[];
    };
    /** The bytes after DATA, dots undone. Empty when the server keeps no content. */
    readonly raw: Buffer;
    readonly ending: Ending;
    /** Milliseconds since the epoch. */
    readonly receivedAt: number;
    private parsed?;
    /** With its angle brackets; empty when the mail has none. */
    readonly messageId: string;
    constructor(envelope: {
        readonly from: string;
        readonly to: readonly string[];
    }, 
    /** The bytes after DATA, dots undone. Empty when the server keeps no content. */
    raw: Buffer, ending: Ending, 
    /** Milliseconds since the epoch. */
    receivedAt: number, headers: string);
    /** Whether the receiver has it. One whose answer was lost on the way counts: its sender cannot know. */
    get kept(): boolean;
    /** Subject, addresses, text, HTML, attachments. */
    parse(): Promise<Email>;
}
