import { AnyObject, Text, TextOf } from '../core/fields';
import { defineOperations } from '../core/operation';

/** Path of callbacks; each configuration has its own address below it, with a secret. */
export const CALLBACK_PATH = '/providers/callback';
/** Longest part of an address of callbacks. */
const PART_LENGTH_MAX = 256;

/** The address of callbacks of a configuration. @param publicUrl of the gateway, without a slash at its end. */
export function callbackUrl(publicUrl: string, { provider, id, secret }: { provider: string; id: string; secret: string }): string {
  return `${publicUrl}${CALLBACK_PATH}/${encodeURIComponent(provider)}/${encodeURIComponent(id)}/${encodeURIComponent(secret)}`;
}

/** The parts of an address to which something was sent. */
export class FindCallback {
  @TextOf(1, PART_LENGTH_MAX) provider: string;

  @TextOf(1, PART_LENGTH_MAX) configuration_id: string;

  @TextOf(1, PART_LENGTH_MAX) secret: string;
}

/** What the gateway verifies callbacks of a configuration with. */
export class CallbackSettings {
  @Text workspace_id: string;

  /** Those of its settings that the kind's verification needs, secret ones included. */
  @AnyObject settings: Record<string, unknown>;
}

/** For the gateway, which verifies what vendors call back. */
export const providerCallbacks = defineOperations('messaging.provider-callbacks', 'internal', {
  /** Answers 404 for another secret, as for a configuration that does not exist. */
  find: {
    summary: 'Get the settings that verify the callbacks of a provider',
    request: FindCallback,
    response: CallbackSettings,
    repeatable: true,
  },
});
