/** The row `duplicates` of `recado doctor`: network numbers of two channels. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeDuplicates } from '../../infra/programs/cli/checks/duplicates.ts';

const channel = (ref: string, network: Readonly<Record<string, string>>, removed = false) => ({
  ...{ ref, removed, network },
  provider: 'session' in network ? ('web' as const) : ('cloud' as const),
});
const shop = (ref: string, ...channels: readonly ReturnType<typeof channel>[]) => ({
  ...{ ref, removed: false, channels: [...channels] },
});

test('two channels of one number are named, whatever their organizations', () => {
  const found = judgeDuplicates([
    shop(
      'a',
      channel('main', { phoneNumberId: '1' }),
      channel('web', { session: 's', baseUrl: 'http://x:3000' }),
    ),
    shop('b', channel('sales', { phoneNumberId: '1', baseUrl: 'https://graph.facebook.com/' })),
    shop('c', channel('web', { session: 's', baseUrl: 'http://x:3000/' }), channel('none', {})),
  ]);
  assert.equal(found.ok, false);
  assert.equal(
    found.detail,
    'phoneNumberId 1 is that of a/main and b/sales; session s is that of a/web and c/web',
  );
  assert.match(found.remedy ?? '', /remove: true/);
});

test('removed channels and organizations, other bridges and other numbers are no duplicates', () => {
  const found = judgeDuplicates([
    shop(
      'a',
      channel('main', { phoneNumberId: '1' }),
      channel('old', { phoneNumberId: '1' }, true),
    ),
    shop('b', channel('main', { phoneNumberId: '1', baseUrl: 'sandbox' })),
    { ...shop('c', channel('main', { phoneNumberId: '1' })), removed: true },
  ]);
  assert.deepEqual([found.ok, found.detail], [true, '2 network numbers, each of one channel']);
});

test('of many the first ten are named', () => {
  const both = Array.from({ length: 12 }, (_, at) =>
    channel(`n${at}`, { phoneNumberId: String(at) }),
  );
  const { detail } = judgeDuplicates([shop('a', ...both), shop('b', ...both)]);
  assert.match(detail, /^phoneNumberId 0 .*phoneNumberId 9 is that of a\/n9 and b\/n9; 2 more$/);
});
