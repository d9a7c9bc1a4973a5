import { decodeFrame, encodeFrame, type RequestFrame } from './call-header';

const actor = '{"type":"api-key","id":"k-1"}';
const frame = (headers: object): RequestFrame => ({
  id: 'i.1.1',
  replyPartition: 2,
  headers: { operation: 'audience.lists.replace', deadline: '10', callId: 'c', workspace: 'w', mode: 'test', scopes: '["*"]', ...headers },
});

it('has the actor behind everything that earlier versions read, and reads what they send', () => {
  const [named, unnamed] = [frame({ actor }), frame({})].map((one) => encodeFrame(one, 5));

  expect(decodeFrame(named!)).toEqual({ frame: frame({ actor }), sentAt: 5 });
  expect(decodeFrame(unnamed!)).toEqual({ frame: frame({}), sentAt: 5 });
  const [fields, others] = [named, unnamed].map((text) => JSON.parse(text!) as unknown[]);
  expect(fields!.slice(0, others!.length)).toEqual(others);
});
