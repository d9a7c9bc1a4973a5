import { createHash, createHmac, pbkdf2 as pbkdf2Callback, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const pbkdf2 = promisify(pbkdf2Callback);

const ITERATIONS = 4096;
const SALT_BYTES = 16;
const HASH_BYTES = 32;

/**
 * The verifier PostgreSQL stores for a password (RFC 5803). Sent instead of the password, which then appears in no statement and
 * no server log.
 * @throws Error for characters outside printable ASCII, which client and server might normalize differently.
 */
export async function scramVerifier(password: string): Promise<string> {
  return verifierOf(password, randomBytes(SALT_BYTES), ITERATIONS);
}

/** Whether a stored verifier belongs to this password. */
export async function isVerifierOf(verifier: string, password: string): Promise<boolean> {
  const [, iterations, salt] = /^SCRAM-SHA-256\$(\d{1,7}):([^$]+)\$/.exec(verifier) ?? [];
  if (iterations === undefined || salt === undefined) return false;
  const expected = Buffer.from(await verifierOf(password, Buffer.from(salt, 'base64'), Number(iterations)));
  return expected.length === Buffer.byteLength(verifier) && timingSafeEqual(expected, Buffer.from(verifier));
}

async function verifierOf(password: string, salt: Buffer, iterations: number) {
  if (!/^[\x20-\x7e]+$/.test(password)) throw new Error('A database password must consist of printable ASCII characters');
  const salted = await pbkdf2(password, salt, iterations, HASH_BYTES, 'sha256');
  const hmac = (text: string) => createHmac('sha256', salted).update(text).digest();
  const storedKey = createHash('sha256').update(hmac('Client Key')).digest();
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey.toString('base64')}:${hmac('Server Key').toString('base64')}`;
}
