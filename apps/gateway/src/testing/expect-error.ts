/** The status and the body of an answer that must be an error of the interface: exactly `message` and `type`, as JSON without a charset. */
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
