import type { AuthenticationProviderArgs, Mechanism } from 'kafkajs';
import type { AccessToken, AccessTokens } from './access-tokens';

/** Separates the parts of the message; alone it ends a refused exchange (RFC 7628). */
const SEPARATOR = '\u0001';
/** Of the broker's answer, which is shown. */
const STATUS = /^[\x20-\x7e]{1,100}$/;

/**
 * SASL OAUTHBEARER (RFC 7628) for kafkajs. kafkajs has its own, which takes a refused token for an accepted one: the broker answers it
 * with the reason, and closes the connection at the next request.
 */
export function oauthBearer(tokens: AccessTokens): Mechanism {
  return {
    mechanism: 'oauthbearer',
    authenticationProvider: ({ host, port, saslAuthenticate }) => ({
      authenticate: async () => {
        const refusal = await exchange(saslAuthenticate, messageOf(await tokens.token()));
        if (refusal !== '') throw new Error(`${host}:${port} refuses the access token (${statusOf(refusal)})`);
      },
    }),
  };
}

/** The broker's answer: empty when it accepts. */
async function exchange(saslAuthenticate: AuthenticationProviderArgs['saslAuthenticate'], message: string) {
  const answer = await saslAuthenticate<string>({
    request: { encode: () => prefixed(message) },
    response: { decode: (bytes) => bytes.subarray(4), parse: (bytes) => bytes.toString() },
  });
  return answer ?? '';
}

function messageOf({ value, extensions = {} }: AccessToken) {
  const parts = [`auth=Bearer ${value}`, ...Object.entries(extensions).map(([name, text]) => `${name}=${text}`)];
  return `n,,${SEPARATOR}${parts.join(SEPARATOR)}${SEPARATOR}${SEPARATOR}`;
}

/** Bytes as Kafka writes them, after their number. */
function prefixed(text: string) {
  const bytes = Buffer.from(text);
  const length = Buffer.alloc(4);
  length.writeInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

function statusOf(refusal: string) {
  try {
    const { status } = JSON.parse(refusal) as { status?: unknown };
    return typeof status === 'string' && STATUS.test(status) ? status : 'without a reason';
  } catch {
    return 'without a reason';
  }
}
