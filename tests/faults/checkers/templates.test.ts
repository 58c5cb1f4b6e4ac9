/** Templates and the 24 hours of a contact: well, and gone wrong. */
import { WINDOW_MS } from '../../../shared/limits.ts';
import {
  call,
  entry,
  message,
  PHONE,
  sent,
  show,
  store,
  type Told,
  transmission,
} from './fixture.ts';
import type { Decision, Message, Settlement, Store } from './history.ts';
import { templates } from './templates.ts';

const AVISO = { name: 'aviso', isMarketing: false };
const PROMOTION = { name: 'promocao', isMarketing: true };
const NOW = 10 * WINDOW_MS;
const decided = (begunAt: number): Decision => ({ begunAt, earliest: NOW });
const gone = [transmission('a')];

/** A message of a call from 10,000 to 10,010, and the states of its template until then. */
function approved(
  states: readonly (readonly [at: number, status: string])[],
  over: Partial<Message> = {},
): Told {
  const times = { startedAt: 10_000, endedAt: 10_010 };
  const asked = { phone: PHONE, text: 'a', template: AVISO.name };
  return {
    calls: [call('send', asked, { messageId: 'a' }, times)],
    messages: [message('a', { template: AVISO, decided: decided(10_005), ...over })],
    transmissions: gone,
    store: store({ templates: states.map(([at, status]) => ({ at, status, name: 'aviso' })) }),
  };
}

function settledAt(begunAt: number): Partial<Message> {
  const settlement: Settlement = {
    ...{ place: 2, outcome: 'released', settledAt: 0 },
    decided: decided(begunAt),
  };
  return { dueAt: 0, settlements: [settlement] };
}

/** A strict message at the place 2, after an entry with that window. */
function strict(openedAt: number | null, over: Partial<Message> = {}): Told {
  const window = openedAt === null ? {} : { windowFrom: openedAt };
  const before: Store['entries'] = [entry('b', 1, { window })];
  const text = { phone: PHONE, text: 'a', outsideWindow: 'refuse' };
  return {
    calls: [call('send', text, { messageId: 'a' })],
    messages: [message('a', { place: 2, decided: decided(0), ...over })],
    transmissions: gone,
    store: store({ entries: before }),
  };
}

const refused = (over: Partial<Message> = {}) =>
  message('a', { status: 'failed', error: '131047', fallback: AVISO, ...over });
const instead = (id: string) => message(id, { text: 'a', template: AVISO, replaces: 'a' });
const replaced = (...messages: readonly Message[]): Told => ({ messages, store: store() });
const stop = (operation: string) => [call(operation, { phone: PHONE }, 'unknown')];

show(templates, {
  onlyApprovedGo: {
    well: [
      approved([[1, 'APPROVED']]),
      // Approved, or not any more, while the call lasts.
      approved([
        [1, 'PENDING'],
        [10_002, 'APPROVED'],
      ]),
      approved([
        [1, 'APPROVED'],
        [10_002, 'PAUSED'],
      ]),
      // Of a scheduled message the state at its time counts.
      approved(
        [
          [1, 'REJECTED'],
          [20_000, 'APPROVED'],
        ],
        settledAt(30_000),
      ),
      // It did not go.
      { ...approved([[1, 'PAUSED']]), transmissions: [] },
    ],
    'a (a) went as aviso, which was PAUSED': [
      approved([
        [1, 'APPROVED'],
        [5_000, 'PAUSED'],
      ]),
      approved(
        [
          [1, 'APPROVED'],
          [20_000, 'PAUSED'],
        ],
        settledAt(30_000),
      ),
    ],
    'a (a) went as aviso, which was unknown': [approved([[20_000, 'APPROVED']])],
  },
  theWindowIsKept: {
    well: [
      strict(NOW - WINDOW_MS + 1),
      strict(null, { template: AVISO }),
      { ...strict(null), transmissions: [] },
      { ...strict(null), calls: [sent('a')] },
    ],
    'a (a) went although the window was closed': [
      strict(NOW - WINDOW_MS),
      strict(null),
      { ...strict(null, { fallback: AVISO }), calls: [sent('a')] },
      strict(null, settledAt(100)),
    ],
  },
  replacedOnceIfRefused: {
    well: [
      replaced(refused(), instead('b')),
      replaced(refused({ error: '131026' })),
      replaced(message('a', { fallback: AVISO })),
      replaced(message('a', { status: 'failed', error: '131047' })),
      // Opt-outs stop what goes by itself, and those of marketing what is marketing.
      { ...replaced(refused({ isAutomatic: true })), calls: stop('opt-out') },
      { ...replaced(refused({ dueAt: 1 })), calls: stop('opt-out') },
      { ...replaced(refused({ fallback: PROMOTION })), calls: stop('marketing-stop') },
    ],
    'a (a) was replaced 2 times': [replaced(refused(), instead('b'), instead('c'))],
    'a (a) is sent and was replaced': [replaced(message('a', { fallback: AVISO }), instead('b'))],
    'a (a) was refused for the window, and nothing went in its place': [
      replaced(refused()),
      { ...replaced(refused()), calls: stop('opt-out') },
      { ...replaced(refused({ dueAt: 1 })), calls: stop('marketing-stop') },
    ],
  },
});
