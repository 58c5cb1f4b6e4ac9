/** Decisions about a passphrase by its proof (D315). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type PassphraseProof,
  proofOfNew,
  type Setting,
  signInTarget,
} from '../../../../actors/domain/passphrase.ts';

const A = { orgId: 'org_a', memberId: 'mbr_a' };
const B = { orgId: 'org_b', memberId: 'mbr_b' };
const MAILBOX: PassphraseProof = { by: 'mailbox' };
const LINK_OF_A: PassphraseProof = { by: 'link', orgId: A.orgId };

describe('a passphrase signs in', () => {
  it('anywhere with the mailbox’s proof; with the link of an organization there alone', () => {
    const table = [
      [MAILBOX, [A, B], { to: null }],
      [MAILBOX, [], { to: null }],
      [LINK_OF_A, [A], { to: A }],
      [LINK_OF_A, [A, { ...A, memberId: 'mbr_2' }], { to: A }],
      // A second membership makes it void; and so does the end of the first.
      [LINK_OF_A, [A, B], null],
      [LINK_OF_A, [B, A], null],
      [LINK_OF_A, [B], null],
      [LINK_OF_A, [], null],
      [null, [A], null],
    ] as const;
    for (const [proof, memberships, target] of table) {
      assert.deepEqual(
        signInTarget(proof, memberships),
        target,
        JSON.stringify([proof, memberships]),
      );
    }
  });
});

describe('a new passphrase', () => {
  const setting = (more: Partial<Setting>, session: Partial<Setting['session']> = {}): Setting => ({
    ...{ present: null, isCurrent: false, memberships: [A], ...more },
    session: { orgId: A.orgId, way: 'link', isFresh: true, ...session },
  });
  const refusalOf = (decided: ReturnType<typeof proofOfNew>) =>
    'by' in decided ? decided : [decided.kind, decided.issues?.[0]?.path];

  it('over a mailed link has the mailbox’s proof, and replaces any', () => {
    for (const present of [null, MAILBOX, LINK_OF_A]) {
      const mailed = setting({ present, memberships: [A, B] }, { way: 'mail' });
      assert.deepEqual(proofOfNew(mailed), MAILBOX);
    }
    const late = { way: 'mail', isFresh: false } as const;
    assert.deepEqual(proofOfNew(setting({}, late)), MAILBOX);
    const replacing = proofOfNew(setting({ present: MAILBOX }, late));
    assert.deepEqual(refusalOf(replacing), ['invalid', 'current']);
  });

  it('over the link of an organization is of it alone, and replaces none', () => {
    assert.deepEqual(proofOfNew(setting({})), LINK_OF_A);
    for (const present of [MAILBOX, LINK_OF_A]) {
      assert.deepEqual(refusalOf(proofOfNew(setting({ present }))), ['invalid', 'current']);
    }
    for (const memberships of [[A, B], [B]]) {
      const decided = proofOfNew(setting({ memberships }));
      assert.deepEqual(refusalOf(decided), ['not_allowed', undefined]);
    }
  });

  it('by the present one has the present one’s proof', () => {
    for (const present of [MAILBOX, LINK_OF_A]) {
      const given = setting({ present, isCurrent: true }, { way: 'passphrase' });
      assert.deepEqual(proofOfNew(given), present);
    }
    // A void one is none, whoever knows it.
    const decided = proofOfNew(setting({ isCurrent: true, memberships: [A, B] }));
    assert.deepEqual(refusalOf(decided), ['not_allowed', undefined]);
  });
});
