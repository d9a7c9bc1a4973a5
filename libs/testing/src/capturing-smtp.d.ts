import type { TlsOptions } from 'node:tls';
import { CapturedMail } from './captured-mail';
import { type WaitOptions } from './wait-until';
export interface CapturingSmtpOptions {
    /** Default: any free port of 127.0.0.1. */
    port?: number;
    /** `starttls` offers it, `implicit` speaks TLS from the first byte. Default: neither. */
    tls?: 'starttls' | 'implicit';
    /** Key and certificate. Default: a self-signed one for localhost that is out of date; clients must not verify it. */
    tlsOptions?: TlsOptions;
    /** The one account; without it no AUTH is offered. Nobody may send without it. */
    account?: {
        user: string;
        password: string;
    };
    /** Keep envelopes and Message-IDs alone, for floods. */
    withoutContent?: boolean;
}
/** What happens to mail for a recipient. A mail with several recipients meets the strictest. */
export interface Behaviour {
    /** 550 at RCPT TO. */
    refuse?: boolean;
    /** 451 after the first so many DATA; `Infinity` for ever. */
    deferFirst?: number;
    /** The first so many mails are kept, and the connection is cut before the 250 that says so. */
    dropFirst?: number;
    /** The mail is kept and no answer ever comes. */
    hang?: boolean;
    /** Answers to DATA come so much later. */
    slowMs?: number;
}
/** The behaviour of recipients for whom nothing else is said. */
export declare const EVERYBODY = "*";
/** A real SMTP server that keeps what it is sent and misbehaves as told. */
export declare class CapturingSmtp {
    private readonly options;
    private readonly server;
    private readonly behaviours;
    private readonly all;
    private readonly timers;
    private constructor();
    static start(options?: CapturingSmtpOptions): Promise<CapturingSmtp>;
    get port(): number;
    /** For `TIDINGS_SMTP_URL`, with the account. */
    get url(): string;
    /** From now on mail for `recipient` (or `EVERYBODY`) meets this; what was told before is forgotten. */
    treat(recipient: string, behaviour: Behaviour): void;
    /** Mails the receiver has, in the order they arrived; copies are separate. */
    get mails(): readonly CapturedMail[];
    /** Every complete DATA, also those that were answered with 451. */
    get arrivals(): readonly CapturedMail[];
    mailsTo(recipient: string): CapturedMail[];
    /** How often the receiver has the mail of each Message-ID. */
    copies(): Map<string, number>;
    /** Resolves with the recipient's mails when there are `count` of them. */
    waitForMailsTo(recipient: string, count?: number, options?: WaitOptions): Promise<CapturedMail[]>;
    /** Forgets mails and behaviours. */
    reset(): void;
    /** Cuts every connection, those that hang included, and stops listening. */
    close(): Promise<void>;
    private receive;
    private decide;
    private behaviourOf;
    private pause;
    /** The library gives no access to a session's socket; cutting it is the point here. */
    private connections;
}
