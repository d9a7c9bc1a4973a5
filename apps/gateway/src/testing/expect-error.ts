/** Expects an error answer: `status`, and a body of exactly `message` and `type`, as JSON without a charset. Returns the message. */
export async function expectError(answer: Response, status: number, type = 'invalid_request_error'): Promise<string> {
  const text = await answer.text();
  expect({ status: answer.status, contentType: answer.headers.get('content-type'), text }).toMatchObject({
    status,
    contentType: 'application/json',
  });
  const body = JSON.parse(text) as Record<string, unknown>;
  expect(body).toEqual({ message: expect.any(String) as string, type });
  return String(body.message);
}
