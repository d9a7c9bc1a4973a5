/**
 * Why a sign-in by OpenID Connect was refused; the sign-in of the console has a sentence for each. `denied`: by the person or the issuer;
 * `expired`: not started by this browser in the last ten minutes; `group`: none of the person's groups has a role; `workspace`: that of the
 * role does not exist; `unreachable`: the issuer; `invalid`: its answer; `busy`: too many, or identity is unavailable; `off`: no issuer.
 */
export type RefusalCode = 'denied' | 'expired' | 'group' | 'workspace' | 'unreachable' | 'invalid' | 'busy' | 'off';

/** A refused sign-in. The message is for the log. */
export class SignInRefusal extends Error {
  override readonly name = 'SignInRefusal';

  constructor(
    readonly code: RefusalCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
