/** The bridge's engines: well, and gone wrong. */
import { bridge } from './bridge.ts';
import { call, kill, message, PHONE, show, type Told, transmission } from './fixture.ts';
import type { Message } from './history.ts';

const RESTRICTED = [{ kind: 'bridge-restricted', engine: 'noweb', from: 1 }];
const FAULT = [kill('network', 1, 200)];

interface Fate {
  readonly engine?: string;
  readonly message?: Partial<Message>;
  readonly cold?: boolean;
  /** By which ids it reached the contact. */
  readonly came?: readonly string[];
  /** Taken, and refused afterwards. */
  readonly failed?: number | null;
}

function told({
  engine = 'noweb',
  cold = false,
  came = ['1'],
  failed = null,
  ...more
}: Fate): Told {
  return {
    calls: [call('send', { phone: PHONE, text: 'a', engine, cold })],
    messages: [message('a', { engine, externalId: '1', ...more.message })],
    transmissions: came.map((externalId) =>
      transmission('a', { provider: 'web', taken: { at: 110, externalId }, failed }),
    ),
  };
}

const unconfirmed = { status: 'failed', error: 'unconfirmed' };
const failed463 = { status: 'failed', error: '463' };

show(bridge, {
  onePersonHasOneConversation: {
    well: [{ bridgeConversations: [{ id: 'c', phone: PHONE }] }],
    'has 2 conversations': [
      { bridgeConversations: ['c', 'd'].map((id) => ({ id, phone: PHONE })) },
    ],
    'c has no phone': [{ bridgeConversations: [{ id: 'c', phone: null }] }],
  },
  knownByAnIdOfItsOwn: {
    well: [told({}), told({ came: ['2', '1'] }), told({ came: [] })],
    'a (a) is known as 1, which is none of its own': [told({ came: ['9'] })],
  },
  failsForACause: {
    well: [
      told({ engine: 'webjs', message: unconfirmed }),
      { ...told({ cold: true, message: failed463, came: [] }), bridgeFaults: RESTRICTED },
      { ...told({ cold: true, message: failed463, failed: 463 }), bridgeFaults: RESTRICTED },
    ],
    'a (a) failed with 463 and came 0 times': [
      // Its contact had written.
      { ...told({ message: failed463, came: [] }), bridgeFaults: RESTRICTED },
      // There was no restriction.
      told({ cold: true, message: failed463, came: [] }),
    ],
    'a (a) failed with 131026 and came 1 times': [
      told({ message: { status: 'failed', error: '131026' } }),
    ],
  },
  comesOnce: {
    well: [told({}), { ...told({ engine: 'webjs', came: ['1', '2'] }), faults: FAULT }],
    'a (a) came 2 times by gows': [
      { ...told({ engine: 'gows', came: ['1', '2'] }), faults: FAULT },
    ],
    'a (a) came 2 times by webjs': [told({ engine: 'webjs', came: ['1', '2'] })],
    'a (a) came 3 times by webjs': [
      { ...told({ engine: 'webjs', came: ['1', '2', '3'] }), faults: FAULT },
    ],
  },
});
