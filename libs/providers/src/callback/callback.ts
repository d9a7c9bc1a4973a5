import type { ProviderEventKind } from '@tidings/contracts/messaging/provider-events';
import type { JsonObject } from '@tidings/contracts/core/deep-merge';

/** What a vendor sent to the callback address of a configuration. */
export interface CallbackRequest {
  readonly method: 'GET' | 'POST';
  /** The address as the vendor called it: public origin, path, query. */
  readonly url: string;
  /** Names in lower case; of a header that is there several times, the first. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: Buffer;
}

/** What a callback is verified with. */
export interface CallbackProof {
  /** Those settings of the configuration that `VendorCallback.settings` names. */
  readonly settings: Readonly<JsonObject>;
  /** The last part of the address. */
  readonly secret: string;
  /** ms since the epoch. */
  readonly nowMs: number;
  /** The body of a public address, at most 64 KB. Rejects for an answer that is no success. */
  get(url: string): Promise<Buffer>;
  /** Trusted roots of certificates, in PEM. Default: those of Node. */
  readonly roots?: readonly string[];
}

/** An event as a vendor reports it; texts of any length. */
export interface ProviderEvent {
  readonly kind: ProviderEventKind;
  /** The same when the vendor reports the event again; unique within the configuration. */
  readonly eventId: string;
  /** ms since the epoch, by the vendor's clock. */
  readonly atMs: number;
  /** The key of our delivery, in the field of the vendor that carries it. */
  readonly delivery?: unknown;
  /** The vendor's id of the message. */
  readonly reference?: unknown;
  readonly address?: unknown;
  /** With `BOUNCED`. */
  readonly reasonCode?: 'HARD' | 'SOFT';
  /** With `FAILED`: never sent, because the recipient had opted out at the vendor. */
  readonly optedOut?: true;
  /** The vendor's words. */
  readonly details?: unknown;
  readonly code?: unknown;
  /** With `CLICKED`. */
  readonly url?: unknown;
}

/** How a vendor reports what became of messages. Its functions are pure, apart from `proof.get`. */
export interface VendorCallback {
  readonly methods: readonly CallbackRequest['method'][];
  /** Where the vendor is given the address, and what else is set there: Markdown for its page. */
  readonly setup: string;
  /** Settings that the verification needs, by their names. */
  readonly settings: readonly string[];
  /** Events may name the vendor's id of the message alone: it is stored with each message. */
  readonly byReference?: true;
  /** What it can report. */
  readonly reports: readonly ProviderEventKind[];
  /** Why a request is refused; undefined where it is the vendor's. Never quotes a secret. */
  verify(request: CallbackRequest, proof: CallbackProof): string | undefined | Promise<string | undefined>;
  /**
   * The events of a verified request that mean something for a message.
   * @throws ServiceError `invalid_request` for a body of another form.
   */
  parse(request: CallbackRequest, nowMs: number): readonly ProviderEvent[];
  /** The text of the answer, where the vendor expects one; it may also confirm a subscription. Default: no text. */
  answer?(request: CallbackRequest, proof: CallbackProof): string | undefined | Promise<string | undefined>;
}
