/** A passphrase signs in where its proof reaches (D315), and one of earlier where that is known. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EMAIL, PERSON, PersonFixture } from './person-fixture.ts';

/** The person with a passphrase that A's link has set, while A alone names the e-mail. */
async function setByA(): Promise<PersonFixture> {
  const fixture = new PersonFixture();
  fixture.member('a');
  assert.equal((await fixture.set('a', 'link', ['of A'])).status, 200);
  return fixture;
}

describe('the link of organization A', () => {
  it('sets a passphrase for A alone, void from the second membership on', async () => {
    const fixture = await setByA();
    assert.deepEqual(await fixture.opens('of A'), ['a']);
    fixture.member('b');
    assert.equal(await fixture.opens('of A'), null);
    assert.equal((await fixture.set('a', 'link', ['again'])).status, 403);
    assert.equal((await fixture.set('a', 'passphrase', ['again', 'of A'])).status, 403);
  });

  it('does not reach B by a member who is disabled, renamed or taken away meanwhile', async () => {
    const tables = [
      // Disabled at B while A sets it.
      [
        ['b', { disabledAt: 1 }],
        ['b', {}],
      ],
      // Gone from A: removed, or with another e-mail.
      [
        ['a', { removed: true }],
        ['b', {}],
      ],
      [
        ['a', { email: 'x@a.example', person: 'prs_x' }],
        ['b', {}],
      ],
      [
        ['a', { disabledAt: 1 }],
        ['b', {}],
      ],
    ] as const;
    for (const steps of tables) {
      const fixture = await setByA();
      for (const [orgId, entry] of steps) fixture.member(orgId, entry);
      assert.equal(await fixture.opens('of A'), null, JSON.stringify(steps));
    }
  });

  it('replaces no passphrase that the mailbox has proven, and ends no session elsewhere', async () => {
    const fixture = new PersonFixture();
    fixture.member('b');
    assert.equal((await fixture.set('b', 'mail', ['own'])).status, 200);
    fixture.member('a');
    fixture.told.length = 0;
    assert.equal((await fixture.set('a', 'link', ['of A'])).status, 422);
    assert.equal((await fixture.set('a', 'link', ['of A', 'guessed'])).status, 401);
    assert.deepEqual(
      fixture.told.filter(({ type }) => type === 'end-person-sessions'),
      [],
    );
    assert.deepEqual(await fixture.opens('own'), ['a', 'b']);
    assert.equal((await fixture.set('a', 'passphrase', ['next', 'own'])).status, 200);
    assert.deepEqual(await fixture.opens('next'), ['a', 'b']);
  });

  it('leaves the person free to set one over the mailbox, or over B’s link once A is gone', async () => {
    const mailed = await setByA();
    mailed.member('b');
    assert.equal((await mailed.set('b', 'mail', ['own'])).status, 200);
    assert.deepEqual(await mailed.opens('own'), ['a', 'b']);
    assert.equal(await mailed.opens('of A'), null);
    const linked = await setByA();
    linked.member('a', { removed: true });
    linked.member('b');
    assert.equal((await linked.set('b', 'link', ['of B'])).status, 200);
    assert.deepEqual(await linked.opens('of B'), ['b']);
  });
});

describe('a new passphrase', () => {
  it('is told to the person, and to the audit log of each organization with its proof', async () => {
    const fixture = await setByA();
    const [mail] = fixture.mails;
    assert.equal(mail?.to.address, EMAIL);
    assert.match(mail?.text ?? '', /198\.51\.100\.7/);
    fixture.member('b');
    await fixture.set('b', 'mail', ['own']);
    const audited = fixture.told.filter(({ type }) => type === 'end-person-sessions');
    const proofs = audited.map(({ orgId, ...command }) => [
      orgId,
      Reflect.get(command, 'provenBy'),
    ]);
    assert.deepEqual(proofs, [
      ['a', 'link'],
      ['a', 'mailbox'],
      ['b', 'mailbox'],
    ]);
  });

  it('of a repeated command is accepted as at first', async () => {
    const fixture = await setByA();
    assert.equal((await fixture.set('a', 'link', ['of A'])).status, 200);
  });
});

describe('a passphrase of an earlier version', () => {
  /** Set from a session of that organization, by its audit log; null: from one of another. */
  async function earlier(audit: Readonly<Record<string, string | null>>): Promise<PersonFixture> {
    const fixture = new PersonFixture();
    const passphrase = { cost: 'c', salt: 's', proof: 'old' };
    const lists = { links: [], tickets: [], peers: ['peer'], mailed: [], sessions: [] };
    fixture.write('persons', { _id: PERSON, passphrase, ...lists, version: 1 });
    for (const [orgId, sessionId] of Object.entries(audit)) {
      const by = { operation: 'setPassphrase', sessionId };
      const subject = { kind: 'person', id: PERSON };
      fixture.write('audit', { _id: `aud_${orgId}`, orgId, at: 1, by, subject, details: {} });
    }
    return fixture;
  }

  it('signs in to the organization from which it was set, where none other has named it', async () => {
    const fixture = await earlier({ b: 'ses_1' });
    fixture.member('b');
    assert.deepEqual(await fixture.opens('old'), ['b']);
    assert.equal(await fixture.opens('wrong'), null);
    fixture.member('a');
    assert.equal(await fixture.opens('old'), null, 'its proof is kept');
  });

  it('signs in nowhere else, until the mailbox is proven', async () => {
    for (const [audit, entries] of [
      [{}, [['b', {}]]],
      [{ b: null }, [['b', {}]]],
      [{ a: 'ses_1', b: null }, [['b', {}]]],
      [{ a: 'ses_1' }, [['b', {}]]],
      [
        { b: 'ses_1' },
        [
          ['a', { removed: true }],
          ['b', {}],
        ],
      ],
      [
        { b: 'ses_1' },
        [
          ['a', {}],
          ['b', {}],
        ],
      ],
    ] as const) {
      const fixture = await earlier(audit);
      for (const [orgId, entry] of entries) fixture.member(orgId, entry);
      assert.equal(await fixture.opens('old'), null, JSON.stringify([audit, entries]));
      assert.equal((await fixture.set('b', 'mail', ['new'])).status, 200);
      assert.ok((await fixture.opens('new'))?.includes('b'));
    }
  });
});
