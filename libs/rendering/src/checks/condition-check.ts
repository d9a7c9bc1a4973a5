import type { MessageRouting, SettingsByChannel, SettingsByProvider } from '@tidings/contracts/content/routing';
import { invalid } from '@tidings/contracts/core/refusals';
import { keyPath } from '@tidings/contracts/core/text';
import { expressionProblem } from '../expressions/expression';

/** Routing with its conditions; its shape is validated before. */
interface Conditioned {
  readonly routing?: MessageRouting | null;
  readonly channels?: SettingsByChannel | null;
  readonly providers?: SettingsByProvider | null;
}

/**
 * Refuses conditions with syntax errors, which would always be false.
 * @param name prefix of the paths in errors: `template.`.
 * @throws ServiceError `invalid_request` that starts with the path: `channels.email.if: …`.
 */
export function assertConditions({ routing, channels, providers }: Conditioned, name = ''): void {
  if (routing) assertRoutingConditions(routing, `${name}routing`);
  assertSettingsConditions(channels, `${name}channels`);
  assertSettingsConditions(providers, `${name}providers`);
}

/** Recursion is bounded by the validated depth of the routing. */
function assertRoutingConditions({ channels }: MessageRouting, path: string) {
  channels.forEach((channel, index) => {
    if (typeof channel === 'string') return;
    const at = `${path}.channels[${index}]`;
    if (!('channel' in channel)) return assertRoutingConditions(channel, at);
    assertCondition(channel.if, at);
    channel.providers?.forEach((provider, position) => {
      if (typeof provider !== 'string') assertCondition(provider.if, `${at}.providers[${position}]`);
    });
  });
}

function assertSettingsConditions(all: SettingsByChannel | SettingsByProvider | null | undefined, path: string) {
  for (const [key, settings] of Object.entries(all ?? {})) assertCondition(settings.if, keyPath(path, key));
}

function assertCondition(condition: string | null | undefined, path: string) {
  const problem = condition ? expressionProblem(condition) : undefined;
  if (problem) throw invalid(`${path}.if: ${problem}`);
}
