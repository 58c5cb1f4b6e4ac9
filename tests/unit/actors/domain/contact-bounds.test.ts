/** Contact at its bounds: the refusal of too much, the last byte, the history's order (D123). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type ContactChange,
  type ContactState,
  decideUpsert,
  historyOf,
  newContact,
} from '../../../../actors/domain/contact.ts';
import { CONTACT_MAX_BYTES, OPT_IN_HISTORY_MAX } from '../../../../shared/limits.ts';

const NOW = Date.UTC(2026, 4, 4, 12, 0, 0);
const identity = { id: 'ctc_1', orgId: 'org_1', phone: '5511987654321', source: 'api' } as const;
const upsert = (state: ContactState, change: Omit<ContactChange, 'source'>) =>
  decideUpsert(state, { source: 'api', ...change }, NOW);

describe('the room of a contact', () => {
  const filled = (bytes: number) => ({ f: 'x'.repeat(bytes - 1) });

  it('is 64 KiB, and more is refused at `fields`, in Portuguese', () => {
    const contact = newContact(identity, NOW);
    assert.ok('accepted' in upsert(contact, { fields: filled(CONTACT_MAX_BYTES) }));
    const beyond = upsert(contact, { fields: filled(CONTACT_MAX_BYTES + 1) });
    assert.ok('refused' in beyond);
    const message =
      'Nome, e-mail, etiquetas e campos de um contato podem ter juntos ' +
      'no máximo 65536 bytes em UTF-8.';
    assert.deepEqual(beyond.refused.issues, [{ path: 'fields', message }]);
  });

  it('is filled by a name of the profile to the last byte, and not beyond', () => {
    for (const [rest, name] of [
      [4, 'Zoé'],
      [3, null],
    ] as const) {
      const fields = filled(CONTACT_MAX_BYTES - rest);
      const decision = upsert(newContact(identity, NOW), { fields, profileName: 'Zoé' });
      assert.ok('accepted' in decision);
      assert.equal(decision.accepted.name, name, `${rest} bytes are left`);
    }
  });
});

describe('the history of opt-in', () => {
  const at = (minute: number) =>
    ({ at: NOW + 60_000 * minute, optIn: minute % 2 === 0, source: 'api' }) as const;

  it('has the records of both in the order of their times', () => {
    const history = historyOf([at(1), at(4), at(5)], [at(0), at(2), at(3), at(6)]);
    assert.deepEqual(history, { optInHistory: [0, 1, 2, 3, 4, 5, 6].map(at) });
  });

  it('has the newest of both, whichever has them', () => {
    const minutes = Array.from({ length: OPT_IN_HISTORY_MAX + 2 }, (_, minute) => minute);
    const records = minutes.map(at);
    const newest = { optInHistory: records.slice(2) };
    assert.deepEqual(historyOf(records.slice(30), records.slice(0, 30)), newest);
    assert.deepEqual(historyOf(records.slice(0, 30), records.slice(30)), newest);
  });

  it('is absent where there is none', () => {
    assert.deepEqual(historyOf(), {});
    assert.deepEqual(historyOf([], []), {});
    assert.deepEqual(historyOf([at(1)]), { optInHistory: [at(1)] });
  });
});
