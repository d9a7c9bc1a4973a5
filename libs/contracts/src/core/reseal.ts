import { Flag, Int, OptionalText } from './fields';

/** One bounded step of sealing stored secrets again. */
export class ResealSecrets {
  /** `cursor` of the step before; absent in the first step. */
  @OptionalText cursor?: string | null;
}

/** The result of one step. Repeated calls with its `cursor` do the rest. */
export class ResealedSecrets {
  /** Whether every stored secret of the service was checked. */
  @Flag done: boolean;

  /** For the next step; absent when `done`. */
  @OptionalText cursor?: string;

  /** Rows that are sealed with the first secret key now, and were not before. */
  @Int resealed: number;

  /** Rows with a secret that no key of `TIDINGS_SECRET_KEY` opens. */
  @Int unreadable: number;
}
