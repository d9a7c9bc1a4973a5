"use strict";
var __importDefault = (this && this.__importDefault) || function (mod) {
    return (mod && mod.__esModule) ? mod : { "default": mod };
};
Object.defineProperty(exports, "__esModule", { value: true });
exports.CapturedMail = void 0;
const postal_mime_1 = __importDefault(require("postal-mime"));
/** A mail as it arrived. */
class CapturedMail {
    constructor(envelope, 
    /** The bytes after DATA, dots undone. Empty when the server keeps no content. */
    raw, ending, 
    /** Milliseconds since the epoch. */
    receivedAt, headers) {
        this.envelope = envelope;
        this.raw = raw;
        this.ending = ending;
        this.receivedAt = receivedAt;
        this.messageId = /^message-id:\s*(<[^>]*>)/im.exec(headers)?.[1] ?? '';
    }
    /** Whether the receiver has it. One whose answer was lost on the way counts: its sender cannot know. */
    get kept() {
        return this.ending !== 'deferred';
    }
    /** Subject, addresses, text, HTML, attachments. */
    parse() {
        return (this.parsed ??= postal_mime_1.default.parse(this.raw));
    }
}
exports.CapturedMail = CapturedMail;
//# sourceMappingURL=captured-mail.js.map