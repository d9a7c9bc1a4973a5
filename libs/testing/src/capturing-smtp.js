"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.CapturingSmtp = exports.EVERYBODY = void 0;
const smtp_server_1 = require("smtp-server");
const captured_mail_1 = require("./captured-mail");
const wait_until_1 = require("./wait-until");
const HEADERS_BYTES_MAX = 65_536;
const CLOSE_TIMEOUT_MS = 500;
/** The behaviour of recipients for whom nothing else is said. */
exports.EVERYBODY = '*';
/** A real SMTP server that keeps what it is sent and misbehaves as told. */
class CapturingSmtp {
    constructor(options) {
        this.options = options;
        this.behaviours = new Map();
        this.all = [];
        this.timers = new Set();
        const { tls, tlsOptions, account } = options;
        this.server = new smtp_server_1.SMTPServer({
            ...tlsOptions,
            secure: tls === 'implicit',
            disabledCommands: [...(tls === 'starttls' ? [] : ['STARTTLS']), ...(account ? [] : ['AUTH'])],
            allowInsecureAuth: true,
            disableReverseLookup: true,
            logger: false,
            closeTimeout: CLOSE_TIMEOUT_MS,
            onAuth: ({ username, password }, _session, done) => {
                const known = username === account?.user && password === account?.password;
                if (known)
                    done(null, { user: username });
                else
                    done(replyError(535, 'Authentication failed'));
            },
            onRcptTo: ({ address }, _session, done) => done(this.behaviourOf(address).refuse ? replyError(550, 'No such user here') : null),
            onData: (stream, session, done) => void this.receive(stream, session, done).catch(done),
        });
        this.server.on('error', () => { }); // clients that vanish are part of the stories
    }
    static async start(options = {}) {
        const smtp = new CapturingSmtp(options);
        await new Promise((resolve, reject) => {
            const server = smtp.server.listen(options.port ?? 0, '127.0.0.1', resolve);
            server.once('error', reject);
        });
        return smtp;
    }
    get port() {
        return this.server.server.address().port;
    }
    /** For `TIDINGS_SMTP_URL`, with the account. */
    get url() {
        const { tls, account } = this.options;
        const credentials = account ? `${encodeURIComponent(account.user)}:${encodeURIComponent(account.password)}@` : '';
        return `${tls === 'implicit' ? 'smtps' : 'smtp'}://${credentials}127.0.0.1:${this.port}`;
    }
    /** From now on mail for `recipient` (or `EVERYBODY`) meets this; what was told before is forgotten. */
    treat(recipient, behaviour) {
        this.behaviours.set(recipient.toLowerCase(), { ...behaviour });
    }
    /** Mails the receiver has, in the order they arrived; copies are separate. */
    get mails() {
        return this.all.filter((mail) => mail.kept);
    }
    /** Every complete DATA, also those that were answered with 451. */
    get arrivals() {
        return this.all;
    }
    mailsTo(recipient) {
        const wanted = recipient.toLowerCase();
        return this.mails.filter(({ envelope }) => envelope.to.some((address) => address.toLowerCase() === wanted));
    }
    /** How often the receiver has the mail of each Message-ID. */
    copies() {
        const copies = new Map();
        for (const { messageId } of this.mails)
            copies.set(messageId, (copies.get(messageId) ?? 0) + 1);
        return copies;
    }
    /** Resolves with the recipient's mails when there are `count` of them. */
    waitForMailsTo(recipient, count = 1, options = {}) {
        const enough = () => {
            const mails = this.mailsTo(recipient);
            return mails.length >= count ? mails : undefined;
        };
        return (0, wait_until_1.waitUntil)(enough, { what: `${count} mail(s) to ${recipient}`, ...options });
    }
    /** Forgets mails and behaviours. */
    reset() {
        this.all.length = 0;
        this.behaviours.clear();
    }
    /** Cuts every connection, those that hang included, and stops listening. */
    async close() {
        for (const timer of this.timers)
            clearTimeout(timer);
        for (const connection of this.connections())
            connection._socket.destroy();
        await new Promise((resolve) => this.server.close(resolve));
    }
    async receive(stream, session, done) {
        const chunks = [];
        for await (const chunk of stream)
            chunks.push(chunk);
        const raw = Buffer.concat(chunks);
        const to = session.envelope.rcptTo.map(({ address }) => address);
        const { ending, slowMs } = this.decide(to);
        const from = session.envelope.mailFrom ? session.envelope.mailFrom.address : '';
        this.all.push(new captured_mail_1.CapturedMail({ from, to }, this.options.withoutContent ? Buffer.alloc(0) : raw, ending, Date.now(), headersOf(raw)));
        if (ending === 'hung')
            return;
        await this.pause(slowMs);
        if (ending === 'dropped')
            this.connections()
                .find((connection) => connection.session.id === session.id)
                ?._socket.destroy();
        else
            done(ending === 'deferred' ? replyError(451, 'Try again later') : null);
    }
    decide(recipients) {
        const behaviours = recipients.map((recipient) => this.behaviourOf(recipient));
        const slowMs = Math.max(0, ...behaviours.map((behaviour) => behaviour.slowMs ?? 0));
        const counted = (name) => behaviours.filter((behaviour) => (behaviour[name] ?? 0) > 0 && behaviour[name]--);
        if (counted('deferFirst').length > 0)
            return { ending: 'deferred', slowMs };
        if (counted('dropFirst').length > 0)
            return { ending: 'dropped', slowMs };
        return { ending: behaviours.some(({ hang }) => hang) ? 'hung' : 'accepted', slowMs };
    }
    behaviourOf(recipient) {
        return this.behaviours.get(recipient.toLowerCase()) ?? this.behaviours.get(exports.EVERYBODY) ?? {};
    }
    pause(ms) {
        if (ms <= 0)
            return undefined;
        return new Promise((resolve) => {
            const timer = setTimeout(() => {
                this.timers.delete(timer);
                resolve();
            }, ms);
            this.timers.add(timer);
        });
    }
    /** The library gives no access to a session's socket; cutting it is the point here. */
    connections() {
        return [...this.server.connections];
    }
}
exports.CapturingSmtp = CapturingSmtp;
/** The start of the mail up to its first empty line, folded lines joined. */
function headersOf(raw) {
    const start = raw.subarray(0, HEADERS_BYTES_MAX).toString('latin1');
    return start.slice(0, start.search(/\r?\n\r?\n|$(?![\s\S])/)).replace(/\r?\n[ \t]+/g, ' ');
}
function replyError(responseCode, message) {
    return Object.assign(new Error(message), { responseCode });
}
//# sourceMappingURL=capturing-smtp.js.map