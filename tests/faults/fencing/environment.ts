/** What surrounds actors on one record, with nothing of a process: all others answer at once. */
import assert from 'node:assert/strict';
import type { OrganizationState } from '../../../actors/domain/organization.ts';
import type { Environment } from '../../../actors/environment.ts';
import { createKinds } from '../../../actors/kinds.ts';
import { OrganizationViews } from '../../../actors/organization/views.ts';
import type { Kind } from '../../../actors/runtime/kind.ts';
import { createIds } from '../../../infra/adapters/ids/ids.ts';
import { CONTRACT_EVENTS, EXTENSION_EVENTS } from '../../../shared/events.ts';
import type { Answer } from '../../../shared/ports/bus.ts';
import type { ActorKind } from '../../../shared/vocabulary.ts';
import { SILENT } from '../../support/engine.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { UNHEARD } from '../../support/unheard.ts';

export const OK: Answer = { status: 200, body: '{}' };
export const ids = createIds(Buffer.alloc(32, 7));
export const quiet = (): void => undefined;

const ALONE = 'prc_1';

/** The one process knows of every change at once. */
function confirm(_topic: string, onAnswer: (answer: unknown) => void): () => void {
  onAnswer({ member: ALONE });
  return quiet;
}

/** Parts that a test has of its own; of the bus and the rest only what the actors use. */
type Own = { readonly [Part in keyof Environment]?: object };

export function environmentOf({ bus, ...own }: Own): Environment {
  const environment: Own = {
    ...{ clock: new ManualClock(), ids, log: SILENT, live: UNHEARD, settings: {} },
    ...{ random: { unit: () => 0.5 }, leaseHeld: () => true },
    bus: { ask: async () => OK, nudge: quiet, answerAll: quiet, askAll: confirm, ...bus },
    members: { own: () => ALONE, live: async () => [ALONE] },
    ...own,
  };
  return environment as unknown as Environment;
}

/** An organization that is not on record: it has a stream of all events, whose owner is asked. */
const LISTENING = {
  subscriptions: [],
  keys: [{ id: 'key_1', scope: 'account', revokedAt: null }],
  streams: [
    {
      ...{ id: 'str_1', keyId: 'key_1', name: 'default', connection: 1 },
      events: [...CONTRACT_EVENTS, ...EXTENSION_EVENTS],
      ...{ opened: [], createdAt: 1, seenAt: Number.MAX_SAFE_INTEGER },
    },
  ],
};

/** The actors of a kind, whose partitions a test acquires and releases. */
export function kindOf(
  name: ActorKind,
  environment: Environment,
): Required<Pick<Kind, 'acquire' | 'release'>> & Kind {
  const known = new OrganizationViews(environment);
  const listening = (id: string) => ({ ...LISTENING, id }) as unknown as OrganizationState;
  const views = { read: async (id: string) => (await known.read(id)) ?? listening(id) };
  const [kind] = createKinds(environment, [name], { views });
  assert.ok(kind);
  const { acquire = assert.fail, release = quiet } = kind;
  return { ...kind, acquire, release };
}
