import { isHttpUrl } from '@tidings/contracts/core/http-url';
import { textOf } from '../vendor/profile-texts';

/** Where `profile.ms_teams` wants a message, in the order in which they are used. */
export interface TeamsTarget {
  readonly user?: string;
  /** Of a channel, or of a conversation. */
  readonly conversation?: string;
  readonly channelName?: string;
  readonly teamId?: string;
  readonly tenant?: string;
  /** The host of the recipient's region; absent: the configured one. */
  readonly serviceUrl?: string;
}

/** The target; undefined where the profile names none that a bot can address. */
export function targetOf(address: Readonly<Record<string, unknown>> = {}): TeamsTarget | undefined {
  const user = textOf(address.user_id);
  const conversation = user === undefined ? (textOf(address.channel_id) ?? textOf(address.conversation_id)) : undefined;
  const [channelName, teamId] = [textOf(address.channel_name), textOf(address.team_id)];
  if (user === undefined && conversation === undefined && (channelName === undefined || teamId === undefined)) return undefined;
  return { user, conversation, channelName, teamId, tenant: textOf(address.tenant_id), serviceUrl: textOf(address.service_url) };
}

/** Hosts of the Bot Framework's service: the token of the bot is sent to no other one. */
const HOSTS = /^(?:smba\.trafficmanager\.net|(?:[\w-]+\.)+(?:botframework\.com|teams\.microsoft\.com|teams\.microsoft\.us))$/;

/** Whether a recipient may name this address as the service of its region. */
export function isServiceUrl(url: string): boolean {
  return isHttpUrl(url) && url.startsWith('https://') && HOSTS.test(new URL(url).hostname) && new URL(url).port === '';
}
