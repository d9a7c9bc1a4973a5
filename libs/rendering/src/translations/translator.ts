/** Translates texts into the recipient's language. */
export interface Translator {
  /**
   * The translation of `msgid`, undefined when there is none. `count` chooses among plural forms where the entry has some;
   * `context` distinguishes entries of the same `msgid`.
   */
  translate(msgid: string, options?: { readonly count?: number; readonly context?: string }): string | undefined;
}
