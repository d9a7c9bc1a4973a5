import { Logger } from '@nestjs/common';
import { reasonOf } from '@tidings/persistence/errors';
import { readFileSync } from 'node:fs';
import { createSecureContext, type SecureContext } from 'node:tls';
import type { KafkaSettings } from './settings';

const logger = new Logger('Kafka');

/**
 * The certificates and the key of a client, from files that others replace while it runs. While new files do not fit together (an
 * interrupted change, say) the last good ones are used.
 */
export class TlsFiles {
  private current?: { files: readonly Buffer[]; context: SecureContext };
  private warned?: string;

  constructor(private readonly paths: NonNullable<KafkaSettings['tls']>) {}

  /** The files as they are now. @throws what reading them throws, or `node:tls`, when they never were good. */
  context(): SecureContext {
    try {
      const files = this.read();
      if (!this.current || files.some((file, index) => !file.equals(this.current!.files[index]!)))
        this.current = { files, context: contextOf(files) };
      this.warned = undefined;
    } catch (error) {
      if (!this.current) throw error;
      this.warn(reasonOf(error));
    }
    return this.current.context;
  }

  private read() {
    const { ca, certificate } = this.paths;
    return [ca, ...(certificate ? [certificate.cert, certificate.key] : [])].map((path) => readFileSync(path));
  }

  private warn(reason: string) {
    if (this.warned === reason) return;
    this.warned = reason;
    logger.warn(`The changed certificates of Kafka cannot be used, the earlier ones are: ${reason}`);
  }
}

function contextOf([ca, cert, key]: readonly Buffer[]) {
  return createSecureContext({ ca, cert, key });
}
