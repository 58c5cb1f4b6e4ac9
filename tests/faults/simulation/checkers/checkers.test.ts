/** Every checker accepts a world that is well, and names each fault of another. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { CHECKERS } from './all.ts';
import { DELIVERIES } from './cases/deliveries.ts';
import { ENTITIES } from './cases/entities.ts';
import type { Shown } from './cases/evidence-fixture.ts';
import { FLOWS } from './cases/flows.ts';
import { MEDIA } from './cases/media.ts';
import { NETWORK } from './cases/network.ts';
import { SCHEDULED } from './cases/scheduled.ts';
import { SENDS } from './cases/sends.ts';
import { SLOW_TIME } from './cases/slow-time.ts';
import { WINDOWS } from './cases/windows.ts';

const SHOWN: Readonly<Record<string, Shown>> = {
  ...SENDS,
  ...NETWORK,
  ...DELIVERIES,
  ...ENTITIES,
  ...FLOWS,
  ...MEDIA,
  ...WINDOWS,
  ...SLOW_TIME,
  ...SCHEDULED,
};

test('every checker has been shown a world gone wrong', () => {
  assert.deepEqual(Object.keys(SHOWN).sort(), Object.keys(CHECKERS).sort());
});

for (const [name, check] of Object.entries(CHECKERS)) {
  suite(name, () => {
    const { well, wrong } = SHOWN[name] ?? { well: null, wrong: {} };
    test('says nothing where all is well', () => {
      assert.deepEqual(well && check(well), []);
    });
    for (const [what, { evidence, says }] of Object.entries(wrong)) {
      test(what, () => {
        assert.match(check(evidence).join('\n'), says);
      });
    }
  });
}
