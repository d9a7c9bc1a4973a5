import type { JsonObject } from '@tidings/contracts/core/deep-merge';

/** A JSON Schema, as data. */
export type JsonSchema = Readonly<JsonObject>;

/** One call of a vendor's interface. Its schemas describe what we send and read, in our own words; tests validate every call by them. */
export interface VendorOperation {
  readonly method: 'GET' | 'POST';
  /** Below the base URL, with `{parameters}`: `/v3/mail/send`. `{+parameters}` are not encoded. */
  readonly path: string;
  /** A parameter of the path names a device: no two messages have the same URL, so none is made of it. */
  readonly isOfDevice?: true;
  /**
   * How the body is sent. `form` is urlencoded, `multipart` a form that may have files, `binary` what `seal` makes of the JSON. Default
   * `json`.
   */
  readonly encoding?: 'json' | 'form' | 'multipart' | 'binary';
  /** The body, the fields of the form, or the query of a GET. Absent: there is none. */
  readonly request?: JsonSchema;
  /** The body of an answer of success, as far as it is read. Absent: it is not read. */
  readonly answer?: JsonSchema;
  /** The body of another answer, as far as it is read. */
  readonly failure?: JsonSchema;
  /** Where the vendor's own description has it, for the comparison: file and JSON pointer. Absent: no description is published. */
  readonly described?: string;
}

/** A request of an operation. */
export interface VendorRequest {
  readonly operation: VendorOperation;
  /** Values of the path's parameters, as yet not encoded. */
  readonly parameters?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  /** A host of the vendor's that the recipient names, with the credentials. A configured `base_url` comes before it. */
  readonly baseUrl?: string;
  /** The whole address, instead of base URL and path: that of a webhook. Without the credentials of the configuration. */
  readonly url?: string;
  /** In addition to those of the credentials, or instead of them; names in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * JSON, or the fields of a form: texts, or arrays of texts for a field given several times; with `multipart` also of `File`. `undefined`
   * is left out.
   */
  readonly body?: JsonObject | readonly JsonObject[];
  /** The field of the body that `override.body` of a send is merged into. Default: the body itself. */
  readonly overridden?: string;
  /** With the encoding `binary`: the body of its JSON. @throws ServiceError where it cannot be made. */
  readonly seal?: (json: string) => Uint8Array;
  /** The origin that a token in a header is for, where that is another one than the request's: the settings may name a relay. */
  readonly audience?: string;
  /** Its address or its credentials are the recipient's: a failure is no evidence about the configuration. */
  readonly isRecipients?: boolean;
}
