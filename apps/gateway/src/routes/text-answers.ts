import type { FastifyReply, FastifyRequest } from 'fastify';
import { answerJson, answerText } from '../http/answers';

const TEXT_TYPE = 'text/plain; charset=utf-8';
/** Sent by one family of SDKs, which reads every answer as JSON, whatever its type; the others would show the quotes. */
const READS_JSON_ALONE = 'x-fern-language';

/** Answers with a text: as it is, or as a JSON string to those who can read nothing else. */
export function answerWithText(request: FastifyRequest, reply: FastifyReply, status: number, text: string): void {
  if (request.headers[READS_JSON_ALONE] === undefined) answerText(reply, status, TEXT_TYPE, text);
  else answerJson(reply, status, JSON.stringify(text));
}

/** The field of a service's answer that is answered alone. */
export function textIn(answer: string, field: string): string {
  return (JSON.parse(answer) as Record<string, string>)[field]!;
}
