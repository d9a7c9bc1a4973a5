import type { FastifyReply, FastifyRequest } from 'fastify';
import { answerJson, answerText, JSON_TYPE } from '../http/answers';

const TEXT_TYPE = 'text/plain; charset=utf-8';
/** Header of SDKs that parse every answer as JSON, whatever its type; other clients would show the quotes. */
const READS_ONLY_JSON = 'x-fern-language';

/** The text of a service's answer, and its media type if any. */
interface TextAnswer {
  text: string;
  type?: string;
}

/** Answers with a text, or with a JSON string to clients that parse only JSON. */
export function answerWithText(request: FastifyRequest, reply: FastifyReply, status: number, { text, type }: TextAnswer): void {
  if (type !== undefined) {
    // Content written for a mail: in a browser its scripts must not run with the rights of the viewer.
    reply.raw.setHeader('content-security-policy', 'sandbox');
    reply.raw.setHeader('x-content-type-options', 'nosniff');
    answerText(reply, status, type === JSON_TYPE ? type : `${type}; charset=utf-8`, text);
  } else if (request.headers[READS_ONLY_JSON] === undefined) answerText(reply, status, TEXT_TYPE, text);
  else answerJson(reply, status, JSON.stringify(text));
}

/** The text fields of a service's answer. */
export function textIn(answer: string, field: string, typeField: string | undefined): TextAnswer {
  const fields = JSON.parse(answer) as Record<string, string>;
  return { text: fields[field]!, ...(typeField !== undefined && { type: fields[typeField] }) };
}
