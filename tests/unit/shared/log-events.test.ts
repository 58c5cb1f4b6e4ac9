import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isLogEvent, LOG_EVENT } from '../../../shared/log-events.ts';

test('an event is the whole line, or its beginning up to a colon', () => {
  assert.ok(isLogEvent('lost the lease: joining again under a new id', LOG_EVENT.leaseLost));
  assert.ok(isLogEvent('send', LOG_EVENT.send));
  assert.equal(isLogEvent('sending', LOG_EVENT.send), false);
});
