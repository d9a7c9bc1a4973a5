import type { FastifyReply, FastifyRequest } from 'fastify';
import { answerJson, answerText, JSON_TYPE } from '../http/answers';

const TEXT_TYPE = 'text/plain; charset=utf-8';
/** Sent by one family of SDKs, which reads every answer as JSON, whatever its type; the others would show the quotes. */
const READS_JSON_ALONE = 'x-fern-language';

/** The text that a service's answer holds, and its media type where it says one. */
interface TextAnswer {
  text: string;
  type?: string;
}

/** Answers with a text: as it is, or as a JSON string to those who can read nothing else. */
export function answerWithText(request: FastifyRequest, reply: FastifyReply, status: number, { text, type }: TextAnswer): void {
  if (type !== undefined) {
    // Whatever somebody wrote for a mail: shown in a browser it must not act for whoever looks at it.
    reply.raw.setHeader('content-security-policy', 'sandbox');
    reply.raw.setHeader('x-content-type-options', 'nosniff');
    answerText(reply, status, type === JSON_TYPE ? type : `${type}; charset=utf-8`, text);
  } else if (request.headers[READS_JSON_ALONE] === undefined) answerText(reply, status, TEXT_TYPE, text);
  else answerJson(reply, status, JSON.stringify(text));
}

/** What of a service's answer is answered alone. */
export function textIn(answer: string, field: string, typeField: string | undefined): TextAnswer {
  const fields = JSON.parse(answer) as Record<string, string>;
  return { text: fields[field]!, ...(typeField !== undefined && { type: fields[typeField] }) };
}
