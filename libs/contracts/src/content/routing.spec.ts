import { NO_ROUTING, routingOfTemplate } from './routing';

it.each<[string, unknown, object | null]>([
  ['an absent one', undefined, null],
  ['null', null, null],
  ['the one that answers show for none', NO_ROUTING, null],
  ['single alone', { method: 'single' }, { method: 'single', channels: [] }],
  ['all alone', { method: 'all' }, { method: 'all', channels: [] }],
  ['all without channels', { method: 'all', channels: [] }, { method: 'all', channels: [] }],
  ['one with channels', { method: 'single', channels: ['sms'] }, { method: 'single', channels: ['sms'] }],
])('reads the routing of a template: %s', (_what, given, routing) => {
  expect(routingOfTemplate(given, 'template.routing')).toEqual(routing);
});

it.each([{}, { method: 'some', channels: [] }, 7])('refuses %j as the routing of a template', (given) => {
  expect(() => routingOfTemplate(given, 'template.routing')).toThrow(/^template\.routing/);
});
