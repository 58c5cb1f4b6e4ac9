/** Who has brought a turn about, as events name it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { causeOf } from '../../../../../actors/conversation/turns/cause.ts';
import type { CommandOf } from '../../../../../shared/ports/bus.ts';

const by = { memberId: 'mbr_ana', name: 'Ana', role: 'attendant', sessionId: null, address: '' };
const cause = (command: object) =>
  causeOf({ id: 'cmd_1', ...command } as CommandOf<'conversation'>);

test('a command that names its origin has it, with the member who asks', () => {
  const origin = 'api';
  assert.deepEqual(cause({ type: 'change', origin }), { origin, memberId: null });
  const panel = cause({ type: 'change', origin: 'panel', by: { ...by, operation: 'x' } });
  assert.deepEqual(panel, { origin: 'panel', memberId: 'mbr_ana' });
  const operator = cause({ type: 'resolve', by: { ...by, memberId: null, operation: 'x' } });
  assert.deepEqual(operator, { origin: 'panel', memberId: null });
});

test('any other has that of its kind', () => {
  const origins = {
    ...{ inbound: 'contact', call: 'contact', welcome: 'contact', echo: 'network' },
    ...{ 'flow-timer': 'flow', 'flow-call-ended': 'flow', 'stop-flow': 'flow' },
    ...{ assign: 'panel', reopen: 'panel', 'absorb-conversation': 'network' },
  };
  for (const [type, origin] of Object.entries(origins)) {
    assert.deepEqual(cause({ type }), { origin, memberId: null }, type);
  }
});
